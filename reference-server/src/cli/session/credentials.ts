import { chmodSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { CliError } from '../output/errors.ts';
import type { Terminal } from '../output/terminal.ts';

/** What a login left for one server. */
export interface Login {
  /** JWT, or a token for programs. */
  readonly access_token: string;
  /** Absent for a token for programs. */
  readonly refresh_token?: string;
  readonly email?: string;
}

interface StoredLogins {
  /** The server that commands speak to when nothing else names one. */
  readonly current?: string;
  /** By the address of the server: a token goes to no other. */
  readonly servers: Readonly<Record<string, Login>>;
}

/** The logins in the user's configuration folder. */
export interface Credentials {
  /** The file that they lie in. */
  readonly path: string;
  current(): string | undefined;
  find(url: string): Login | undefined;
  /** Keeps the login and makes its server the current one. */
  save(url: string, login: Login): void;
  remove(url: string): void;
}

/**
 * `$FLAGSVC_CONFIG_DIR`, else `flagsvc` in `$XDG_CONFIG_HOME` (`%APPDATA%` on Windows), else in `~/.config`. The folder
 * is the user's alone (0700), and so is the file (0600), which is replaced as a whole.
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
      // A file that was left from before keeps its mode when it is written.
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
  return new CliError(`${path} cannot be used: ${reason}.`, {
    code: 'CREDENTIALS_UNUSABLE',
    hint: 'Remove it and log in again, or set FLAGSVC_CONFIG_DIR to another folder.',
  });
}
