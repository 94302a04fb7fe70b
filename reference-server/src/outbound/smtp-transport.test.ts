import { once } from 'node:events';
import { type AddressInfo, createServer, type Server } from 'node:net';
import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import type { SMTPServerOptions } from 'smtp-server';
import { afterAll, afterEach, beforeAll, expect, onTestFinished, test } from 'vitest';
import { LOCALHOST_CERTIFICATE } from '../../test/localhost-certificate.ts';
import { type MailServer, refusal, startMailServer } from '../../test/mail-server.ts';
import { createSmtpTransport, type SmtpLimits } from './smtp-transport.ts';
import { parseMailFrom, parseSmtpUrl } from './smtp-url.ts';

const MAIL = { id: 'eml_1', to: 'ada@example.com', subject: 'Hello', text: 'Plain\n', html: '<p>Rich</p>' };
const SHORT: SmtpLimits = { connectMs: 300, idleMs: 300, totalMs: 600 };

const authorities = getCACertificates('default');
beforeAll(() => setDefaultCACertificates([...authorities, LOCALHOST_CERTIFICATE]));
afterAll(() => setDefaultCACertificates(authorities));

let server: MailServer | undefined;
afterEach(async () => {
  await server?.close();
  server = undefined;
});

async function start(options?: SMTPServerOptions): Promise<MailServer> {
  server = await startMailServer(options);
  return server;
}

function transportTo(url: string, limits?: SmtpLimits) {
  const from = parseMailFrom('Flags <flags@example.com>');
  return createSmtpTransport({ server: parseSmtpUrl(url), from, ...(limits !== undefined && { limits }) });
}

/** The name and the message of the error that sending causes. */
async function failureOf(url: string, limits?: SmtpLimits, mail = MAIL): Promise<string> {
  const error: Error = await transportTo(
    url,
    limits,
  )(mail).then(
    () => expect.unreachable(),
    (cause) => cause,
  );
  return `${error.name}: ${error.message}`;
}

test('sends text and HTML with a lasting message id, and returns the answer of the server', async () => {
  const { port, received } = await start();
  expect(await transportTo(`smtp://127.0.0.1:${port}`)(MAIL)).toBe('250 Queued as 42');
  expect(received).toMatchObject([{ from: 'flags@example.com', to: ['ada@example.com'], user: false }]);
  for (const line of [
    'From: Flags <flags@example.com>',
    'To: ada@example.com',
    'Subject: Hello',
    'Message-ID: <eml_1@example.com>',
    'Auto-Submitted: auto-generated',
    'Content-Type: text/plain; charset=utf-8',
    'Content-Type: text/html; charset=utf-8',
  ]) {
    expect(received[0]!.source).toContain(`${line}\r\n`);
  }
});

test('upgrades to TLS before it sends the password', async () => {
  const onAuth: SMTPServerOptions['onAuth'] = ({ username, password }, _session, callback) =>
    password === 'p@ss word' ? callback(null, { user: username }) : callback(refusal(535, 'No such user'));
  const { port, received } = await start({ onAuth });
  const url = (password: string) => `smtp://me:${password}@localhost:${port}?starttls=required`;
  await transportTo(url('p%40ss%20word'))(MAIL);
  expect(received).toMatchObject([{ isEncrypted: true, user: 'me' }]);
  const failure = await failureOf(url('hunter2'));
  expect(failure).toMatch(
    /^MailServerUnreachable: .* refused the user name or the password: 535 No such user/,
  );
  expect(failure).not.toContain('hunter2');
});

test('sends over TLS from the start', async () => {
  const { port, received } = await start({ secure: true });
  await transportTo(`smtps://localhost:${port}`)(MAIL);
  expect(received).toMatchObject([{ isEncrypted: true }]);
  expect(await failureOf(`smtp://localhost:${port}`, SHORT)).toMatch(/did not answer in time/);
});

test('sends nothing when a server that must offer STARTTLS does not', async () => {
  const { port, received } = await start({ hideSTARTTLS: true, disabledCommands: ['STARTTLS'] });
  expect(await failureOf(`smtp://localhost:${port}?starttls=required`)).toMatch(
    /^MailServerUnreachable: .*did not agree on TLS/,
  );
  expect(await failureOf(`smtps://localhost:${port}`)).toContain('Write smtp:// instead of smtps://');
  expect(received).toEqual([]);
  await transportTo(`smtp://localhost:${port}`)(MAIL);
  expect(received).toMatchObject([{ isEncrypted: false }]);
});

test('refuses an invalid certificate, except on this machine', async () => {
  setDefaultCACertificates(authorities);
  onTestFinished(() => setDefaultCACertificates([...authorities, LOCALHOST_CERTIFICATE]));
  const { port, received } = await start();
  expect(await failureOf(`smtp://localhost:${port}?starttls=required`)).toMatch(
    /^MailServerUnreachable: The certificate of the mail server .* NODE_EXTRA_CA_CERTS/,
  );
  expect(received).toEqual([]);
  await transportTo(`smtp://localhost:${port}`)(MAIL);
  expect(received).toMatchObject([{ isEncrypted: true }]);
});

test.each([
  ['onRcptTo', 550, /^MailRefused: .* refused the recipient: 550 No thanks\.$/],
  [
    'onRcptTo',
    451,
    /^Error: .* refused the recipient: 451 No thanks\. It may accept a later attempt.*greylisting/,
  ],
  ['onMailFrom', 550, /^Error: .* refused the sender\. Check FLAGSVC_MAIL_FROM\. It said: 550 No thanks\.$/],
] as const)('explains a refusal by %s with %d', async (hook, code, message) => {
  const refuse = (_: unknown, __: unknown, callback: (error: Error) => void) =>
    callback(refusal(code, 'No thanks'));
  const { port } = await start({ [hook]: refuse });
  expect(await failureOf(`smtp://127.0.0.1:${port}`)).toMatch(message);
});

test('a refused email is refused for good, whatever the server says in the answer', async () => {
  const { port } = await start({
    onData(stream, _session, callback) {
      stream.resume();
      stream.on('end', () => callback(refusal(554, 'spam\u0007\u001b[31m')));
    },
  });
  expect(await failureOf(`smtp://127.0.0.1:${port}`)).toMatch(/^MailRefused: .*refused the email: 554 spam/);
  // biome-ignore lint/suspicious/noControlCharactersInRegex: their absence is checked
  expect(await failureOf(`smtp://127.0.0.1:${port}`)).not.toMatch(/[\u0000-\u001f]/);
});

test('sends names that look like headers or addresses as plain names', async () => {
  const { port, received } = await start();
  const subject = 'Hi\r\nBcc: eve@example.com\r\n\r\nbody';
  await transportTo(`smtp://127.0.0.1:${port}`)({ ...MAIL, subject });
  expect(received[0]!.source).not.toMatch(/^Bcc:/m);
  expect(received[0]!.to).toEqual(['ada@example.com']);
  for (const to of ['a@b.c>\r\nRCPT TO:<eve@example.com', 'a@b.c,eve@example.com>', 'x y@example.com']) {
    const failure = await failureOf(`smtp://127.0.0.1:${port}`, undefined, { ...MAIL, to });
    expect(failure).toMatch(/^MailRefused: .* is not an email address\.$/);
  }
  expect(received).toHaveLength(1);
});

/** A TCP server that treats each connection as `act` says. */
async function startSilent(act: (write: (text: string) => void) => NodeJS.Timeout | undefined) {
  const silent: Server = createServer((socket) => {
    const timer = act((text) => void socket.write(text));
    socket.on('error', () => {});
    socket.on('close', () => clearInterval(timer));
  });
  silent.listen(0, '127.0.0.1');
  await once(silent, 'listening');
  onTestFinished(() => void silent.close());
  return (silent.address() as AddressInfo).port;
}

test('gives up on a server that says nothing, and on one that never finishes', async () => {
  const mute = await startSilent(() => undefined);
  expect(await failureOf(`smtp://127.0.0.1:${mute}`, SHORT)).toMatch(/did not answer in time/);
  const dripping = await startSilent((write) => {
    write('220 hi\r\n');
    return setInterval(() => write('250-more\r\n'), 50);
  });
  expect(await failureOf(`smtp://127.0.0.1:${dripping}`, SHORT)).toMatch(
    /^MailServerUnreachable: .*did not answer in time/,
  );
});

test('explains a server that refuses the connection', async () => {
  const busy = await startSilent((write) => void write('421 4.3.2 Too many connections\r\n'));
  expect(await failureOf(`smtp://127.0.0.1:${busy}`, SHORT)).toBe(
    `MailServerUnreachable: The mail server 127.0.0.1:${busy} accepts no email from this server at the moment: 421 4.3.2 Too many connections.`,
  );
});

test('explains a closed port', async () => {
  const { port, close } = await startMailServer();
  await close();
  expect(await failureOf(`smtp://127.0.0.1:${port}`)).toBe(
    `MailServerUnreachable: Nothing listens at 127.0.0.1:${port}. Check FLAGSVC_SMTP_URL.`,
  );
});
