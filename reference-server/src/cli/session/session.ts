import { type Api, createApi } from '../client/api.ts';
import type { Warning } from '../client/document.ts';
import type { OptionName, OptionValues } from '../input/options.ts';
import { parseSecret, parseServerUrl } from '../input/values.ts';
import { CliError, EXIT } from '../output/errors.ts';
import { foldLines, jsonText } from '../output/plain-text.ts';
import { loginHint } from '../output/shell-line.ts';
import { type Column, renderTable, warningText } from '../output/table.ts';
import type { Terminal } from '../output/terminal.ts';
import { type Credentials, openCredentials } from './credentials.ts';
import { reauthenticate } from './reauthenticate.ts';

/** Everything that a command has access to during one run. */
export interface Session {
  readonly terminal: Terminal;
  readonly options: OptionValues;
  readonly credentials: Credentials;
  readonly version: string;
  /** Address of the server. */
  readonly url: string;
  readonly typed: Typed;
  /** The project and environment found so far; hints name them. */
  target(): TargetKeys;
  setTarget(target: TargetKeys): void;
  /** The API as the logged-in user, or with FLAGSVC_TOKEN. Throws NOT_LOGGED_IN without either. */
  api(): Api;
  /** The API with these authentication headers. */
  apiWith(headers: Readonly<Record<string, string>>): Api;
  /** Writes `data` as JSON with `--json`, otherwise the text. */
  show(data: unknown, text: () => string): void;
  /** A table that fits the terminal. */
  table<Row>(rows: readonly Row[], columns: readonly Column<Row>[]): string;
}

/** The keys of the project and environment that a command acts on. */
export interface TargetKeys {
  readonly project?: { readonly key: string } | undefined;
  readonly environment?: { readonly key: string } | undefined;
}

/** The command line as typed. */
export interface Typed {
  /** The words after `flagsvc`. */
  readonly argv: readonly string[];
  readonly args: readonly string[];
  /** The options that the command accepts. */
  readonly accepts: readonly OptionName[];
}

export interface SessionOptions {
  readonly options: OptionValues;
  readonly version: string;
  readonly typed?: Typed;
}

const NOTHING_TYPED: Typed = { argv: [], args: [], accepts: [] };

const DEFAULT_URL = 'http://127.0.0.1:8000';

export function createSession(
  terminal: Terminal,
  { options, version, typed = NOTHING_TYPED }: SessionOptions,
): Session {
  const { env, signal } = terminal;
  let target: TargetKeys = {};
  const credentials = openCredentials(terminal);
  const url = parseServerUrl(options.url ?? (env['FLAGSVC_URL'] || credentials.current() || DEFAULT_URL));
  const onWarnings = createWarningPrinter(terminal, options.json === true);
  const apiWith = (headers: Readonly<Record<string, string>>): Api =>
    createApi({ url, version, signal, onWarnings, credentials: () => headers });
  return {
    terminal,
    options,
    credentials,
    version,
    url,
    typed,
    target: () => target,
    setTarget(next) {
      target = next;
    },
    apiWith,
    api() {
      const token = env['FLAGSVC_TOKEN'];
      if (token) return apiWith({ authorization: `Bearer ${parseSecret('FLAGSVC_TOKEN', token)}` });
      if (credentials.find(url) === undefined) throw notLoggedIn(url);
      const authorization = () => ({ authorization: `Bearer ${credentials.find(url)?.access_token}` });
      const shared = {
        url,
        version,
        signal,
        onWarnings,
        credentials: authorization,
        renew: () => renewLogin(credentials, url, apiWith({})),
      };
      if (!terminal.isInteractive) return createApi(shared);
      return createApi({ ...shared, confirm: () => confirmPassword(createApi(shared), terminal) });
    },
    show(data, text) {
      terminal.out(options.json === true ? `${jsonText(data, 2)}\n` : foldLines(text(), terminal.columns));
    },
    table: (rows, columns) => renderTable(rows, columns, terminal.columns),
  };
}

/** Prints each warning once, on standard error, because planning and applying an import return the same warnings. */
function createWarningPrinter(terminal: Terminal, asJson: boolean): (warnings: readonly Warning[]) => void {
  const printed = new Set<string>();
  return (warnings) => {
    const fresh = warnings.filter(({ field, message }) => !printed.has(`${field} ${message}`));
    for (const { field, message } of fresh) printed.add(`${field} ${message}`);
    if (fresh.length === 0) return;
    if (asJson) terminal.err(`${jsonText({ warnings: fresh }, 2)}\n`, { asIs: true });
    else terminal.err(fresh.map(warningText).join(''));
  };
}

/** Gets a new access token (24 h) with the refresh token (30 days). Returns false when the login has expired. */
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

/** Asks for the password that dangerous changes need again. Throws if it is wrong. */
async function confirmPassword(api: Api, terminal: Terminal): Promise<boolean> {
  terminal.err('This change needs your password again.\n');
  await reauthenticate(api, terminal, { password: await terminal.ask('Password: ', { hidden: true }) });
  return true;
}

function notLoggedIn(url: string): CliError {
  return new CliError(`You are not logged in to ${url}.`, {
    code: 'NOT_LOGGED_IN',
    exitCode: EXIT.denied,
    hint: loginHint(url),
  });
}
