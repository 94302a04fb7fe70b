import { sql } from 'kysely';
import type { Database } from '../../../storage/database.ts';
import { postgresOf } from '../../../storage/engine.ts';
import { perEngine } from '../../../storage/sql-dialect.ts';

/** How the installation works, for its admins. */
export interface InstanceStatus {
  readonly database: { readonly engine: 'sqlite' | 'postgresql'; readonly version: string };
  readonly mail: {
    /** Whether a mail server is configured. */
    readonly configured: boolean;
    /** Emails that wait to be sent. */
    readonly waiting: number;
    /** When the oldest of them was written; null if there is none. */
    readonly oldest_at: string | null;
  };
  /** The port of `/metrics`; null if it is not served. */
  readonly metrics_port: number | null;
  readonly nightly_jobs: readonly {
    readonly name: string;
    /** Null before the first run. */
    readonly last_run_at: string | null;
    readonly due_at: string;
    /** Whether the job should have run more than an hour ago. */
    readonly late: boolean;
  }[];
}

/** A job runs once an hour has passed since its due time only if no process leads, or the one that does hangs. */
const LATE_MS = 60 * 60 * 1000;

/** Returns a function that reads the status. */
export function createReadInstanceStatus(deps: {
  readonly db: Database;
  readonly now: () => number;
  readonly canSendMail: boolean;
  readonly metricsPort: number | null;
}): () => Promise<InstanceStatus> {
  const { db, now, canSendMail, metricsPort } = deps;
  return async () => {
    const jobs = await db.selectFrom('job_runs').selectAll().orderBy('job').execute();
    return {
      database: {
        engine: postgresOf(db) === undefined ? 'sqlite' : 'postgresql',
        version: await readVersion(db),
      },
      mail: { configured: canSendMail, ...(await readQueue(db)) },
      metrics_port: metricsPort,
      nightly_jobs: jobs.map(({ job, due_at, last_run_at }) => ({
        name: job,
        last_run_at,
        due_at,
        late: now() - Date.parse(due_at) > LATE_MS,
      })),
    };
  };
}

async function readVersion(db: Database): Promise<string> {
  const version = perEngine<string>({
    sqlite: sql`sqlite_version()`,
    postgres: sql`current_setting('server_version')`,
  });
  const row = await db.selectNoFrom(version.as('version')).executeTakeFirstOrThrow();
  return row.version;
}

async function readQueue(db: Database) {
  const row = await db
    .selectFrom('mail_queue')
    .select((eb) => [eb.fn.countAll<number>().as('waiting'), eb.fn.min('created_at').as('oldest_at')])
    .executeTakeFirstOrThrow();
  return { waiting: Number(row.waiting), oldest_at: row.oldest_at ?? null };
}
