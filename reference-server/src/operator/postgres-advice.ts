import { Refusal } from './command.ts';

/** How to back up and restore a database on PostgreSQL, with commands that the guide explains. */
export const POSTGRES_BACKUP = `PostgreSQL has its own tools for backups. Run this as the server's role, while the server runs:

  pg_dump --enable-row-security --format=custom --file=flagsvc.dump "$FLAGSVC_DATABASE_URL"

For continuous backups, archive the WAL (pg_basebackup and archive_command). Keep FLAGSVC_JWT_SECRET_KEY and FLAGSVC_API_SECRET_KEY apart from the backups. See docs/guide/backup.md.`;

export const POSTGRES_RESTORE = `PostgreSQL has its own tools for restores. Stop all nodes, create an empty database, set FLAGSVC_DATABASE_URL to it, and run:

  pg_restore --exit-on-error --no-owner --dbname="$FLAGSVC_DATABASE_URL" flagsvc.dump
  flagsvc-server renew-epochs
  flagsvc-server check

To move a backup of SQLite to PostgreSQL, use migrate-database. See docs/guide/backup.md.`;

export function refusePostgres(advice: string): never {
  throw new Refusal(advice);
}
