import { existsSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import type { Database } from '../storage/database.ts';
import { withoutSecrets } from '../storage/database-url.ts';
import { type OpeningOptions, openDatabase } from '../storage/open-database.ts';
import type { Config } from './config-variables.ts';
import { fail } from './output.ts';

/** The database, and where its events are. */
export type Places = Pick<Config, 'databaseUrl' | 'eventsUrl'>;

/** What to do when the database cannot be opened, by code or name of the error. Empty: the error message is enough. */
const REMEDIES: Readonly<Record<string, string>> = {
  NewerSchema: '',
  DATABASE_CORRUPT: ' Restore a backup.',
};

/** The file or its folder cannot be opened or written. */
const REFUSED = /SQLITE_(CANTOPEN|READONLY|PERM)|EACCES|EROFS|EPERM/;

/** Opens and migrates the database. Undefined when that failed, after the reason has been written to standard error. */
export async function openOrFail(
  { databaseUrl, eventsUrl }: Places,
  options?: OpeningOptions,
): Promise<Database | undefined> {
  try {
    return await openDatabase(databaseUrl, { ...options, eventsUrl });
  } catch (error) {
    fail(explainOpening(databaseUrl, error as Error));
    return undefined;
  }
}

/** Says why a database cannot be opened, and what to do. */
export function explainOpening(databaseUrl: string, error: Error & { readonly code?: string }): string {
  const remedy = REMEDIES[error.code ?? error.name] ?? remedyFor(databaseUrl, error);
  return `flagsvc cannot open ${withoutSecrets(databaseUrl)}: ${error.message}.${remedy}`;
}

function remedyFor(databaseUrl: string, { message }: Error): string {
  if (!databaseUrl.startsWith('sqlite:') || !REFUSED.test(message)) return ' See FLAGSVC_DATABASE_URL.';
  const id = process.getuid?.();
  const user = id === undefined ? '' : ` (id ${id})`;
  const folder = dirname(resolve(databaseUrl.slice('sqlite:'.length)));
  return ` The server's user${user} must be able to write the file and its folder, ${folder}. To use another file, set FLAGSVC_DATABASE_URL.`;
}

/**
 * Opens a database that must exist already, for commands that make no sense on a new one. Undefined after a failure,
 * whose reason has been written to standard error.
 */
export async function openExisting(places: Places): Promise<Database | undefined> {
  const { databaseUrl } = places;
  const path = databaseUrl.startsWith('sqlite:') ? databaseUrl.slice('sqlite:'.length) : undefined;
  if (path !== undefined && !existsSync(path)) {
    fail(
      `There is no database at ${path}. Run this command on the server's machine, with the server's FLAGSVC_DATABASE_URL, and from the server's folder if the path is relative.`,
    );
    return undefined;
  }
  return openOrFail(places);
}
