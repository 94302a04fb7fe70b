import Sqlite from 'better-sqlite3';

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
