/** What `npm start` keeps under `.data/`: the server's secrets, and the keys of the demo. Readable by the owner only. */
import { randomBytes } from 'node:crypto';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** The two secrets that the server demands. */
export interface Secrets {
  readonly jwtSecretKey: string;
  readonly apiSecretKey: string;
}

/** What the demo left behind, for the next start. */
export interface DemoState {
  readonly email: string;
  readonly refreshToken: string;
  /** SDK keys by the key of their environment. */
  readonly apiKeys: Readonly<Record<string, string>>;
  /** Of kind `client`; absent when an older start left the folder. */
  readonly clientKey?: string;
}

/** Another folder is for tests, which must not touch the data of a person. */
const folder: string = process.env['DEMO_DATA_FOLDER'] ?? join(import.meta.dirname, '..', '..', '.data');

function read<T>(name: string): T | undefined {
  try {
    return JSON.parse(readFileSync(join(folder, name), 'utf8')) as T;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw new Error(`.data/${name} cannot be read: ${(error as Error).message}. Remove it to begin anew.`);
  }
}

function write(name: string, content: unknown): void {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  writeFileSync(join(folder, name), `${JSON.stringify(content, null, 2)}\n`, { mode: 0o600 });
}

/** The secrets of this folder, made at the first start. */
export function keepSecrets(): Secrets {
  const kept = read<Secrets>('secrets.json');
  if (kept) return kept;
  const fresh = () => randomBytes(32).toString('base64url');
  const secrets: Secrets = { jwtSecretKey: fresh(), apiSecretKey: fresh() };
  write('secrets.json', secrets);
  return secrets;
}

/** What an earlier start left; undefined at the first one. */
export const readDemo = (): DemoState | undefined => read('demo.json');

export const writeDemo = (state: DemoState): void => write('demo.json', state);

/** Where the database is. */
export const databaseUrl: string = `sqlite:${join(folder, 'flagsvc.db')}`;
