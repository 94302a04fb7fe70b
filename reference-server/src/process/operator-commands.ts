import type { Command } from './command.ts';

const JSON_OPTION = { json: { type: 'boolean' } } as const;

/** The commands that check, save and move a whole installation. `operate` runs them. */
export const OPERATOR_COMMANDS = {
  check: {
    operates: 'check',
    options: { ...JSON_OPTION, quick: { type: 'boolean' } },
    meaning:
      'check the database without changing it, while the server may run: damage, references, migrations, audit log, secrets and rulesets. --quick does not compare indexes with tables. Exit status 0: sound; 1: cannot be checked; 2: faults found',
  },
  backup: {
    operates: 'backup',
    positionals: ['<target>'],
    options: { ...JSON_OPTION, keep: { type: 'string' } },
    meaning:
      'back up SQLite while the server runs, and check the backup. <target> is a folder, a new file that ends with .db, or s3://bucket/prefix (with AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY, AWS_REGION, AWS_ENDPOINT_URL_S3). --keep 7 then deletes all but the newest 7 backups of this installation there',
  },
  restore: {
    operates: 'restore',
    positionals: ['<source>'],
    options: { ...JSON_OPTION, replace: { type: 'boolean' }, 'without-manifest': { type: 'boolean' } },
    meaning:
      'put a backup in the place of the SQLite database, with the server stopped. <source> is a backup, or a folder or s3://bucket/prefix, of which the newest backup is taken. --replace allows replacing a database, whose files are kept under other names; --without-manifest accepts a copy that another program made',
  },
  'migrate-database': {
    operates: 'migrate-database',
    options: { ...JSON_OPTION, from: { type: 'string' }, to: { type: 'string' } },
    meaning:
      'copy a whole installation from SQLite to an empty PostgreSQL database, with the server stopped: --from sqlite:<path> (default: FLAGSVC_DATABASE_URL) --to postgres://user:password@host/database',
  },
} as const satisfies Readonly<Record<string, Command>>;
