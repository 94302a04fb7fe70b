import { Refusal } from './command.ts';

/** What to do about an error of the disk, by its code. */
const REMEDIES: Readonly<Record<string, string>> = {
  ENOSPC: 'the disk is full. Free some space and run the command again',
  SQLITE_FULL: 'the disk is full. Free some space and run the command again',
  SQLITE_CORRUPT: 'the database is damaged. Run "flagsvc-server check"',
  SQLITE_NOTADB: 'the file is not an SQLite database',
  EDQUOT: 'the disk quota is used up. Free some space and run the command again',
  EROFS: 'the file system is read-only',
  EACCES: 'this user has no permission. Run the command as the user of the server',
  EPERM: 'this user has no permission. Run the command as the user of the server',
  ENOTDIR: 'a part of the path is not a folder',
  ENAMETOOLONG: 'the path is too long',
  ELOOP: 'the path contains a loop of symbolic links',
  ERR_INVALID_ARG_VALUE: 'the path contains a character that file names cannot have',
};

/** Throws the error as a Refusal with a remedy if the disk or the path caused it, and unchanged otherwise. */
export function rethrowFault(error: unknown, doing: string): never {
  const { code = '', message } = error as NodeJS.ErrnoException;
  const remedy =
    REMEDIES[code] ?? (/^(SQLITE_IOERR|SQLITE_CANTOPEN|E[A-Z]+$)/.test(code) ? message : undefined);
  if (remedy === undefined) throw error;
  throw new Refusal(`${doing} failed: ${remedy}.`, { cause: error });
}
