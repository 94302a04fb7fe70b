import { existsSync, linkSync, readdirSync, readFileSync, renameSync, rmSync, statSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import type Sqlite from 'better-sqlite3';
import { FileInUse, openAlone } from '../../storage/sqlite-file.ts';
import { readEnvironments } from '../backup/describe.ts';
import type { BackedUpEnvironment } from '../backup/manifest.ts';
import { Refusal } from '../command.ts';
import { sync } from '../files.ts';

/** The files that SQLite keeps beside a database. They belong to one database file and must never meet another. */
const COMPANIONS = ['-wal', '-shm', '-journal'];
const ASIDE = '.before-restore-';

/**
 * The database that a restore replaces, with all other processes kept out if it can be opened.
 *
 * At every moment until the replacement has finished, the path leads to the old file or to the new one, both complete.
 */
export interface OldDatabase {
  /** The versions of its rulesets; empty if it cannot be read. */
  readEnvironments(): readonly BackedUpEnvironment[];
  /** Moves the old files aside and puts the new file in their place. Returns the paths of the old files. */
  replaceBy(workFile: string): Promise<string[]>;
  release(): void;
}

/** Takes the database at a path, which may not exist. Throws Refusal if a process uses it. */
export function takeDatabase(path: string, at: number): OldDatabase {
  let connection = existsSync(path) ? openIfSound(path) : undefined;
  const aside = `${path}${ASIDE}${new Date(at).toISOString().replaceAll(/[-:]/g, '')}`;
  return {
    readEnvironments() {
      try {
        return connection === undefined ? [] : readEnvironments(connection);
      } catch {
        return [];
      }
    },
    async replaceBy(workFile) {
      await sync(workFile);
      const kept: string[] = [];
      if (connection !== undefined && !endWal(connection)) {
        // Closed first, because a connection deletes the WAL that it finds under the old name.
        connection.close();
        connection = undefined;
      }
      if (connection === undefined) kept.push(...moveCompanions(path, aside));
      else rmSync(`${path}-shm`, { force: true });
      if (existsSync(path)) {
        linkSync(path, aside);
        kept.push(aside);
      }
      await sync(dirname(path));
      renameSync(workFile, path);
      await sync(dirname(path));
      return kept;
    },
    release: () => connection?.close(),
  };
}

/** Undefined if the file is damaged and no process uses it. */
function openIfSound(path: string): Sqlite.Database | undefined {
  const running = new Refusal(
    `${path} is open in another process. Stop the server and every program that uses the file, then run the command again.`,
  );
  try {
    return openAlone(path);
  } catch (error) {
    if (error instanceof FileInUse) throw running;
    if (!isDamage(error)) throw error;
    if (isLocked(path)) throw running;
    return undefined;
  }
}

/** Moves the WAL into the file, so that the old database is one file again. False if the file is damaged. */
function endWal(connection: Sqlite.Database): boolean {
  try {
    connection.pragma('journal_mode = delete');
    return true;
  } catch (error) {
    if (!isDamage(error)) throw error;
    return false;
  }
}

function isDamage(error: unknown): boolean {
  return /^SQLITE_(CORRUPT|NOTADB|IOERR)/.test((error as { readonly code?: string }).code ?? '');
}

/** Whether a process holds a lock on a file, as SQLite does while it has a database open. Known on Linux only. */
function isLocked(path: string): boolean {
  const { ino } = statSync(path);
  return existsSync('/proc/locks') && readFileSync('/proc/locks', 'utf8').includes(`:${ino} `);
}

function moveCompanions(path: string, aside: string): string[] {
  const kept: string[] = [];
  for (const suffix of COMPANIONS.filter((one) => existsSync(`${path}${one}`))) {
    // The shared memory is only an index of the WAL.
    if (suffix === '-shm') rmSync(`${path}${suffix}`);
    else renameSync(`${path}${suffix}`, `${aside}${suffix}`);
    if (suffix !== '-shm') kept.push(`${aside}${suffix}`);
  }
  return kept;
}

/** Deletes second names of the present database, which a restore leaves behind if it is killed before the swap. */
export function removeUnfinished(path: string, note: (line: string) => void): void {
  if (!existsSync(path)) return;
  const { ino, dev } = statSync(path);
  for (const file of readdirSync(dirname(path))) {
    if (!file.startsWith(`${basename(path)}${ASIDE}`)) continue;
    const other = join(dirname(path), file);
    const found = statSync(other);
    if (found.ino !== ino || found.dev !== dev) continue;
    rmSync(other);
    note(
      `An earlier restore was interrupted before it changed ${path}; the database is the one from before.`,
    );
  }
}
