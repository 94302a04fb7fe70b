import type { Database } from './database.ts';
import { openSqlite } from './sqlite.ts';

/**
 * Opens and migrates `sqlite:<path>`, `sqlite::memory:` or `postgres://…`; `destroy()` closes it. Every connection of
 * the process is opened here, so that each one commits durably. `onWait` is called when another node holds the
 * migration lock for more than a second (PostgreSQL only). Throws on another scheme.
 */
export async function openDatabase(url: string, onWait: () => void = () => {}): Promise<Database> {
  if (!/^postgres(ql)?:/.test(url)) return openSqlite(url);
  // Imported on demand: an installation on SQLite never loads the driver.
  const { openPostgres } = await import('./postgres.ts');
  return openPostgres(url, onWait);
}
