import { closeSync, existsSync, openSync, readdirSync, rmSync, statSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { DAY_MS } from '../lib/durations.ts';

/**
 * Files that a command writes before it publishes them under their names. Their names contain the machine and the
 * process, so that the next command can remove what a killed one left behind.
 */
const WORK_FILE = /^\.(.+)\.([\w-]*)\.(\d+)\.partial$/;
/** Files of another machine are abandoned after this time. */
const ABANDONED_AFTER_MS = DAY_MS;

const machine = (): string => hostname().replaceAll(/[^\w-]/g, '-');

/** Creates an empty file that only this user can read. */
export function createWorkFile(folder: string, name: string): string {
  const path = join(folder, `.${name}.${machine()}.${process.pid}.partial`);
  closeSync(openSync(path, 'wx', 0o600));
  return path;
}

/** Deletes a work file, and the files that SQLite may have added, if they exist. */
export function removeWorkFile(path: string): void {
  for (const suffix of ['', '-journal', '-wal', '-shm']) rmSync(`${path}${suffix}`, { force: true });
}

/** Deletes the work files of commands that no longer run, and reports each one. */
export function removeAbandoned(folder: string, note: (line: string) => void): void {
  if (!existsSync(folder)) return;
  for (const file of readdirSync(folder)) {
    const [, name, host, pid] = WORK_FILE.exec(file) ?? [];
    if (name === undefined) continue;
    const path = join(folder, file);
    const { mtimeMs } = statSync(path);
    const isAbandoned =
      host === machine() ? !isRunning(Number(pid)) : Date.now() - mtimeMs > ABANDONED_AFTER_MS;
    if (!isAbandoned) continue;
    removeWorkFile(path);
    note(`An earlier command was interrupted while it wrote ${name}; its incomplete file has been deleted.`);
  }
}

function isRunning(pid: number): boolean {
  if (pid === process.pid) return true;
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}
