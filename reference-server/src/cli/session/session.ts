import { type Api, createApi } from '../client/api.ts';
import type { Warning } from '../client/document.ts';
import { loginHint, type Where } from '../help/hints.ts';
import type { OptionName, OptionValues } from '../input/options.ts';
import { CliError, EXIT, usageError } from '../output/errors.ts';
import { warningText } from '../output/table.ts';
import type { Terminal } from '../output/terminal.ts';
import { type Credentials, openCredentials } from './credentials.ts';

/** What a command has to do its work with. */
export interface Session {
  readonly terminal: Terminal;
  readonly options: OptionValues;
  readonly credentials: Credentials;
  readonly version: string;
  /** The server that is spoken to. */
  readonly url: string;
  /** The words after `flagsvc`, and the options that their command takes. */
  readonly typed: Typed;
  /** Where the command acts, as far as it has found out. */
  place(): Where;
  /** Keeps where the command acts, for hints. */
  remember(where: Where): void;
  /** As the user who is logged in. Throws when nobody is. */
  api(): Api;
  /** As nobody, or with other credentials. */
  apiWith(headers: Readonly<Record<string, string>>): Api;
  /** Writes the data with `--json`, else the text that is made of it. */
  show(data: unknown, text: () => string): void;
  /** A line about what is done: for people, so not with `--json`. */
  say(line: string): void;
}

/** What was typed. */
export interface Typed {
  readonly argv: readonly string[];
  readonly takes: readonly OptionName[];
  readonly args: readonly string[];
}

const NOTHING_TYPED: Typed = { argv: [], takes: [], args: [] };

const DEFAULT_URL = 'http://127.0.0.1:8000';

export function createSession(
  terminal: Terminal,
  options: OptionValues,
  version: string,
  typed: Typed = NOTHING_TYPED,
): Session {
  const { env, signal } = terminal;
  let place: Where = {};
  const credentials = openCredentials(terminal);
  const url = readUrl(options.url ?? (env['FLAGSVC_URL'] || credentials.current() || DEFAULT_URL));
  const shown = new Set<string>();
  /** On standard error, each once: an import says the same when it is planned and when it is applied. */
  const onWarnings = (warnings: readonly Warning[]): void => {
    const fresh = warnings.filter(({ field, message }) => !shown.has(`${field} ${message}`));
    for (const { field, message } of fresh) shown.add(`${field} ${message}`);
    if (fresh.length === 0) return;
    const asJson = () => `${JSON.stringify({ warnings: fresh }, null, 2)}\n`;
    terminal.err(options.json === true ? asJson() : fresh.map(warningText).join(''));
  };
  const apiWith = (headers: Readonly<Record<string, string>>): Api =>
    createApi({ url, version, signal, onWarnings, credentials: () => headers });
  return {
    terminal,
    options,
    credentials,
    version,
    url,
    typed,
    place: () => place,
    remember: (where) => {
      place = where;
    },
    apiWith,
    api: () => {
      const token = env['FLAGSVC_TOKEN'];
      if (token)
        return apiWith({ authorization: `Bearer ${readSecret(token, 'FLAGSVC_TOKEN is no token')}` });
      if (credentials.find(url) === undefined) throw notLoggedIn(url);
      return createApi({
        url,
        version,
        signal,
        onWarnings,
        credentials: () => ({ authorization: `Bearer ${credentials.find(url)?.access_token}` }),
        renew: () => renewLogin(credentials, url, apiWith({})),
      });
    },
    show(data, text) {
      terminal.out(options.json === true ? `${JSON.stringify(data, null, 2)}\n` : text());
    },
    say(line) {
      if (options.json !== true) terminal.out(`${line}\n`);
    },
  };
}

/** An access token lives a day, the login that it came from a month. */
async function renewLogin(credentials: Credentials, url: string, api: Api): Promise<boolean> {
  const login = credentials.find(url);
  if (login?.refresh_token === undefined) return false;
  try {
    const { access_token } = await api.call('POST /auth/refresh', {
      body: { refresh_token: login.refresh_token },
    });
    credentials.save(url, { ...login, access_token });
    return true;
  } catch (error) {
    if (error instanceof CliError && error.code === 'INVALID_REFRESH_TOKEN') return false;
    throw error;
  }
}

/** What is no header would be refused in words that show it. */
export function readSecret(text: string, otherwise: string): string {
  const secret = text.trim();
  if (/^[\x21-\x7e]+$/.test(secret)) return secret;
  throw new CliError(`${otherwise}: it holds spaces, line ends or other characters that none has.`, {
    code: 'UNAUTHENTICATED',
    exitCode: EXIT.denied,
  });
}

/** The address without a path: what people copy may end in `/api/v1`. */
export function readUrl(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || !/^https?:$/.test(url.protocol)) {
    throw usageError(
      `"${text}" is not the address of a server.`,
      'An address looks like http://127.0.0.1:8000.',
    );
  }
  if (url.username !== '' || url.password !== '') {
    throw usageError('The address of the server must hold no user name and no password.');
  }
  return url.origin + url.pathname.replace(/\/+$/, '').replace(/\/api\/v1$/, '');
}

function notLoggedIn(url: string): CliError {
  return new CliError(`You are not logged in to ${url}.`, {
    code: 'NOT_LOGGED_IN',
    exitCode: EXIT.denied,
    hint: loginHint(url),
  });
}
