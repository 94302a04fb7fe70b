/** The files that `npm start` keeps under `.data/`: the server's secrets and the demo's keys. Only the owner can read them. */
import { createHash, randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '../settings.ts';

/** The two secrets that the server requires. */
export interface Secrets {
  readonly jwtSecretKey: string;
  readonly apiSecretKey: string;
}

/** The demo's credentials, kept for the next start. */
export interface DemoState {
  readonly email: string;
  readonly refreshToken: string;
  /** SDK keys by environment key. */
  readonly apiKeys: Readonly<Record<string, string>>;
  /** Key of kind `client`; absent in data of older versions. */
  readonly clientKey?: string;
  /** Database file in `.data/`; absent in data of older versions, and when a variable names the database. */
  readonly file?: string;
}

/** Tests set another folder, so that they leave a developer's data alone. */
const folder: string = process.env['DEMO_DATA_FOLDER'] ?? join(root, '.data');

function read<T>(name: string): T | undefined {
  try {
    return JSON.parse(readFileSync(join(folder, name), 'utf8')) as T;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw new Error(`.data/${name} cannot be read: ${(error as Error).message}. Remove it to start over.`);
  }
}

function write(name: string, content: unknown): void {
  writeText(name, `${JSON.stringify(content, null, 2)}\n`);
}

function writeText(name: string, text: string): void {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  writeFileSync(join(folder, name), text, { mode: 0o600 });
}

/** Writes the demo's address and keys as variables, for `node --env-file`, Vite and shells. */
export function writeVariables(baseUrl: string, { apiKeys, clientKey = '' }: DemoState): void {
  const variables = {
    FLAGSVC_URL: baseUrl,
    FLAGSVC_API_KEY: apiKeys['development'],
    FLAGSVC_CLIENT_KEY: clientKey,
    // Vite gives pages only variables with this prefix.
    VITE_FLAGSVC_URL: baseUrl,
    VITE_FLAGSVC_CLIENT_KEY: clientKey,
  };
  writeText(
    'demo.env',
    Object.entries(variables)
      .map(([name, value]) => `export ${name}=${value}\n`)
      .join(''),
  );
}

/** The secrets of this folder, created at the first start. */
export function readOrCreateSecrets(): Secrets {
  const kept = read<Secrets>('secrets.json');
  if (kept) return kept;
  const fresh = () => randomBytes(32).toString('base64url');
  const secrets: Secrets = { jwtSecretKey: fresh(), apiSecretKey: fresh() };
  write('secrets.json', secrets);
  return secrets;
}

/** The database of this start and, if it contains a demo, the credentials of the demo. */
export interface DemoDatabase {
  readonly url: string;
  /** For messages: never contains a password. */
  readonly name: string;
  /** How to start over, for messages. */
  readonly remedy: string;
  /** True when its file does not exist yet, so that it cannot contain other data. */
  readonly isAbsent: boolean;
  /** Credentials from an earlier start; undefined at the first one. */
  readonly kept: DemoState | undefined;
  keep(state: DemoState): void;
}

export function findDemoDatabase(): DemoDatabase {
  const url = process.env['FLAGSVC_DATABASE_URL']?.trim();
  if (!url) return findOwnDatabase();
  const name = `demo-${createHash('sha256').update(url).digest('hex').slice(0, 8)}.json`;
  return {
    url,
    name: 'the database of FLAGSVC_DATABASE_URL',
    isAbsent: false,
    remedy: 'set FLAGSVC_DATABASE_URL to an empty database, or serve this one with `npm run serve`',
    // Older versions kept the credentials of every demo in one file.
    kept: read(name) ?? withoutFile(read<DemoState>('demo.json')),
    keep: (state) => write(name, state),
  };
}

const withoutFile = (state?: DemoState): DemoState | undefined =>
  state?.file === undefined ? state : undefined;

/**
 * The demo's own database file. It is not the one of `npm run serve`, which uses other secrets. In older versions, both
 * used `flagsvc.db`.
 */
function findOwnDatabase(): DemoDatabase {
  const kept = read<DemoState>('demo.json');
  const isOld = kept !== undefined && existsSync(join(folder, 'flagsvc.db'));
  const file = kept?.file ?? (isOld ? 'flagsvc.db' : 'demo.db');
  return {
    url: `sqlite:${join(folder, file)}`,
    name: `.data/${file}`,
    isAbsent: !existsSync(join(folder, file)),
    remedy: '`npm start -- --reset` starts over',
    kept,
    keep: (state) => write('demo.json', { ...state, file }),
  };
}

/**
 * Removes the demo's own database and credentials, and returns what it did. The secrets stay. Throws when a variable
 * names the database, because that one may hold more than the demo.
 */
export function resetDemo(): string {
  if (process.env['FLAGSVC_DATABASE_URL']?.trim())
    throw new Error(
      'flagsvc cannot start: --reset removes only the demo in .data. Unset FLAGSVC_DATABASE_URL, or empty that database yourself.',
    );
  const databases = ['demo.db', 'demo.events.db'].flatMap((name) => [name, `${name}-wal`, `${name}-shm`]);
  const files = [...databases, 'demo.json', 'demo.env'].filter((name) => existsSync(join(folder, name)));
  for (const name of files) rmSync(join(folder, name));
  return files.length > 0 ? 'Removed the demo of the last start.' : 'There is no demo to remove yet.';
}
