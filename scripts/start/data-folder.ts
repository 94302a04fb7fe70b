/** What `npm start` keeps under `.data/`: the server's secrets, and the keys of the demo. Readable by the owner only. */
import { createHash, randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
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
  /** The file of `.data/` that the demo is in; absent when an older start left it, or a variable names the database. */
  readonly file?: string;
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

/** The database of this start, with what a demo left in it: its keys open no other. */
export interface DemoDatabase {
  readonly url: string;
  /** As it may be shown. */
  readonly name: string;
  /** What to do to begin anew. */
  readonly remedy: string;
  /** What an earlier start left; undefined at the first one. */
  readonly kept: DemoState | undefined;
  keep(state: DemoState): void;
}

export function findDatabase(): DemoDatabase {
  const url = process.env['FLAGSVC_DATABASE_URL']?.trim();
  if (!url) return findOwnDatabase();
  const name = `demo-${createHash('sha256').update(url).digest('hex').slice(0, 8)}.json`;
  return {
    url,
    name: 'the database of FLAGSVC_DATABASE_URL',
    remedy: 'name an empty one for the demo; `npm run serve` serves any',
    // An older start kept every demo under one name.
    kept: read(name) ?? withoutFile(read<DemoState>('demo.json')),
    keep: (state) => write(name, state),
  };
}

const withoutFile = (state?: DemoState): DemoState | undefined =>
  state?.file === undefined ? state : undefined;

/** Not the file of `npm run serve`, whose secrets are others, unless an older start has put the demo there. */
function findOwnDatabase(): DemoDatabase {
  const kept = read<DemoState>('demo.json');
  const isOld = kept !== undefined && existsSync(join(folder, 'flagsvc.db'));
  const file = kept?.file ?? (isOld ? 'flagsvc.db' : 'demo.db');
  return {
    url: `sqlite:${join(folder, file)}`,
    name: `.data/${file}`,
    remedy: 'remove .data/demo.* to begin anew',
    kept,
    keep: (state) => write('demo.json', { ...state, file }),
  };
}
