import { chmodSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { CliError } from '../output/errors.ts';
import type { Terminal } from '../output/terminal.ts';

/** The stored login for one server. */
export interface Login {
  /** JWT or machine token. */
  readonly access_token: string;
  /** Absent with a machine token. */
  readonly refresh_token?: string;
  readonly email?: string;
}

interface StoredLogins {
  /** Address of the server of the last login. */
  readonly current?: string;
  /** Logins by server address, so that a token is sent to no other server. */
  readonly servers: Readonly<Record<string, Login>>;
}

/** The logins stored in the user's configuration folder. Methods throw CREDENTIALS_UNUSABLE if the file cannot be used. */
export interface Credentials {
  /** The file that contains the logins. */
  readonly path: string;
  /** Address of the server of the last login. */
  current(): string | undefined;
  find(url: string): Login | undefined;
  /** Stores the login and makes its server the current one. */
  save(url: string, login: Login): void;
  remove(url: string): void;
}

/**
 * Opens `credentials.json` in `$FLAGSVC_CONFIG_DIR`; by default that is `flagsvc` in `$XDG_CONFIG_HOME` (`%APPDATA%` on
 * Windows), or in `~/.config`. Only the user can read the folder (0700) and the file (0600). Writes replace the whole file.
 */
export function openCredentials({ env, platform }: Pick<Terminal, 'env' | 'platform'>): Credentials {
  const home =
    (platform === 'win32' && env['APPDATA']) || env['XDG_CONFIG_HOME'] || join(homedir(), '.config');
  const folder = env['FLAGSVC_CONFIG_DIR'] || join(home, 'flagsvc');
  const path = join(folder, 'credentials.json');

  const read = (): StoredLogins => {
    let text: string;
    try {
      text = readFileSync(path, 'utf8');
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return { servers: {} };
      throw unusable(path, (error as Error).message);
    }
    try {
      const { current, servers } = JSON.parse(text) as StoredLogins;
      return { ...(typeof current === 'string' && { current }), servers: { ...servers } };
    } catch {
      throw unusable(path, 'it is not JSON');
    }
  };

  const write = (logins: StoredLogins): void => {
    const aside = `${path}.${process.pid}`;
    try {
      mkdirSync(folder, { recursive: true, mode: 0o700 });
      writeFileSync(aside, `${JSON.stringify(logins, null, 2)}\n`, { mode: 0o600 });
      // Writing to an existing file keeps its old mode.
      chmodSync(aside, 0o600);
      renameSync(aside, path);
    } catch (error) {
      rmSync(aside, { force: true });
      throw unusable(path, (error as Error).message);
    }
  };

  return {
    path,
    current: () => read().current,
    find(url) {
      const { servers } = read();
      return Object.hasOwn(servers, url) ? servers[url] : undefined;
    },
    save: (url, login) => write({ current: url, servers: { ...read().servers, [url]: login } }),
    remove(url) {
      const { current, servers } = read();
      const { [url]: _removed, ...rest } = servers;
      write({ ...(current !== undefined && { current }), servers: rest });
    },
  };
}

function unusable(path: string, reason: string): CliError {
  return new CliError(`Cannot use ${path}: ${reason}.`, {
    code: 'CREDENTIALS_UNUSABLE',
    hint: 'Remove it and log in again, or set FLAGSVC_CONFIG_DIR to another folder.',
  });
}
