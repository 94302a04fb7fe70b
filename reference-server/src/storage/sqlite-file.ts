import { statSync } from 'node:fs';
import { resolve } from 'node:path';
import Sqlite from 'better-sqlite3';
import { DatabaseUnavailable } from './unavailable.ts';

/** Another process has the file open. */
export class FileInUse extends Error {
  readonly code = 'FILE_IN_USE';
}

/** Opens an existing SQLite file without changing it, even while other processes write to it. */
export function openReadOnly(path: string): Sqlite.Database {
  const connection = new Sqlite(path, { readonly: true, fileMustExist: true });
  connection.pragma('busy_timeout = 5000');
  return connection;
}

/**
 * Opens an existing SQLite file and keeps all other processes out until the connection is closed. Throws FileInUse if
 * another process has it open, even if that process is idle: in WAL mode, every connection keeps a lock.
 */
export function openAlone(path: string): Sqlite.Database {
  const connection = new Sqlite(path, { fileMustExist: true, timeout: 0 });
  try {
    connection.pragma('locking_mode = exclusive');
    connection.exec('begin exclusive; commit');
    return connection;
  } catch (error) {
    connection.close();
    const isBusy = String((error as { code?: unknown }).code).startsWith('SQLITE_BUSY');
    throw isBusy ? new FileInUse(`${path} is open in another process`) : error;
  }
}

/**
 * Throws when the path no longer leads to the file that it led to at first. SQLite would go on writing to the open file,
 * which the next start will not find.
 */
export function createFileGuard(name: string): () => void {
  const path = resolve(name);
  const find = (): string | undefined => {
    try {
      const found = statSync(path, { bigint: true, throwIfNoEntry: false });
      return found && `${found.dev} ${found.ino}`;
    } catch (cause) {
      throw new DatabaseUnavailable(`${path} cannot be checked`, { cause });
    }
  };
  const opened = find();
  return () => {
    if (find() !== opened) throw new DatabaseUnavailable(`${path} is no longer the file that was opened`);
  };
}
