/** How to reach a mail server. */
export interface SmtpServer {
  readonly host: string;
  readonly port: number;
  readonly credentials: { readonly user: string; readonly password: string } | null;
  /**
   * - `implicit`: TLS from the first byte (`smtps://`).
   * - `required`: STARTTLS, or no email is sent.
   * - `optional`: STARTTLS if the server offers it; its certificate is not checked, because an attacker could as well
   *   remove the offer.
   * - `off`: never.
   */
  readonly tls: 'implicit' | 'required' | 'optional' | 'off';
}

const PORTS = { 'smtp:': 587, 'smtps:': 465 } as const;
const STARTTLS = ['required', 'optional', 'off'] as const;

/**
 * Parses `smtp://user:password@host:587` or `smtps://…`. `?starttls=optional` or `?starttls=off` permits unencrypted
 * email, which is the default for this machine itself. Throws an error that completes "FLAGSVC_SMTP_URL …" and does not
 * repeat the password.
 */
export function parseSmtpUrl(text: string): SmtpServer {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  const protocol = url?.protocol;
  if (url === undefined || (protocol !== 'smtp:' && protocol !== 'smtps:') || url.hostname === '') {
    throw new Error(
      'is not the address of a mail server; write "smtp://user:password@smtp.example.com:587", or "smtps://…" for TLS from the start, and percent-encode special characters, such as %40 for an @.',
    );
  }
  if (!['', '/'].includes(url.pathname) || url.hash !== '') {
    throw new Error('has a path; remove everything after the port, except "?starttls=…".');
  }
  const unknown = [...url.searchParams.keys()].find((name) => name !== 'starttls');
  if (unknown !== undefined) throw new Error(`has the parameter "${unknown}"; only "starttls" is known.`);
  const host = url.hostname.replace(/^\[|\]$/g, '');
  const server = {
    host,
    port: url.port === '' ? PORTS[protocol] : Number(url.port),
    credentials: readCredentials(url),
    tls: readTls(url, host),
  };
  const isOpen = server.tls === 'optional' || server.tls === 'off';
  if (isOpen && server.credentials !== null && !isThisMachine(host)) {
    throw new Error(
      `would send the password unencrypted; remove "starttls=${server.tls}", or remove the user name and password.`,
    );
  }
  return server;
}

function readCredentials({ username, password }: URL): SmtpServer['credentials'] {
  if (username === '' && password === '') return null;
  if (username === '' || password === '') {
    throw new Error('has a user name or a password, but not both; write "smtp://user:password@host:587".');
  }
  try {
    return { user: decodeURIComponent(username), password: decodeURIComponent(password) };
  } catch {
    throw new Error('has a user name or a password with a bare %; write %25 for a percent sign.');
  }
}

function readTls(url: URL, host: string): SmtpServer['tls'] {
  const text = url.searchParams.get('starttls');
  if (url.protocol === 'smtps:') {
    if (text === null) return 'implicit';
    throw new Error('has "starttls", which has no effect with smtps://; remove it.');
  }
  if (text === null) return isThisMachine(host) ? 'optional' : 'required';
  const found = STARTTLS.find((value) => value === text);
  if (found === undefined) throw new Error(`has "starttls=${text}"; use ${STARTTLS.join(', ')}.`);
  return found;
}

function isThisMachine(host: string): boolean {
  return host === 'localhost' || host === '::1' || /^127\.\d+\.\d+\.\d+$/.test(host);
}

/** The address that emails come from. */
export interface MailAddress {
  readonly name: string;
  readonly address: string;
}

/**
 * Parses `flags@example.com` or `Flags <flags@example.com>`. Throws an error that completes "FLAGSVC_MAIL_FROM …".
 */
export function parseMailFrom(text: string): MailAddress {
  const [, quoted, plain, bracketed, bare] =
    /^(?:(?:"([^"\\\p{Cc}]*)"|([^"<>@\p{Cc}]*))\s*<([^\s<>]+)>|([^\s<>]+))$/u.exec(text.trim()) ?? [];
  const address = bracketed ?? bare;
  if (
    address === undefined ||
    !/^[^\s@,;<>"\p{Cc}]+@[^\s@.,;<>"\p{Cc}]+(\.[^\s@.,;<>"\p{Cc}]+)*$/u.test(address)
  ) {
    throw new Error(`is "${text}"; write "flags@example.com", or "Flags <flags@example.com>".`);
  }
  return { name: (quoted ?? plain ?? '').trim(), address };
}
