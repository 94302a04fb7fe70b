import { sql } from 'kysely';
import type { Database } from '../storage/database.ts';
import { type Listen, postgresOf } from '../storage/engine.ts';
import { type CommitsSeen, readCommits } from '../storage/row-changes.ts';
import type { Publisher } from './publish.ts';

/** Notices what other processes have committed to the same database. */
export interface OtherWriters {
  /** Looks once; resolves when what was found is served. */
  look(): Promise<void>;
  /** Looks again and again, so often. */
  start(intervalMs: number): void;
  /** Resolves when the last look is over. */
  stop(): Promise<void>;
}

/** Only what is told on a connection that is lost, and not yet open again, waits so long. */
const LISTENING_INTERVAL_MS = 1_000;

/**
 * Asks whether anybody has committed anything: a few microseconds of SQLite, which tells nothing by itself, and a query
 * of PostgreSQL, which also tells, and so is asked less often (decision 0147). Only then the versions of rulesets and
 * what keys depend on are compared with what they were, and what differs is told to the publisher, as if it had been
 * written here (decision 0122).
 */
export function createOtherWriters(deps: {
  readonly db: Database;
  readonly publisher: Pick<Publisher, 'afterCommit' | 'forgetKey'>;
  readonly onError: (error: unknown) => void;
}): OtherWriters {
  const { db, publisher, onError } = deps;
  let seen: CommitsSeen | undefined;
  let versions: ReadonlyMap<string, string> = new Map();
  let keys: KeysSeen | undefined;
  let looking: Promise<void> | undefined;
  let timer: NodeJS.Timeout | undefined;
  let listening: ReturnType<Listen> | undefined;
  let isStopped = false;

  const lookOnce = async (): Promise<void> => {
    // Before the rest is read: what is committed meanwhile is found by the next look.
    const now = await readCommits(db);
    if (now.commits === seen?.commits && now.history === seen?.history) return;
    const read = { versions: await readVersions(db, now), keys: await readKeys(db, now, keys) };
    const changed = [...read.versions].filter(([id, version]) => versions.get(id) !== version);
    const forgotten = changedKeys(keys, read.keys);
    seen = now;
    ({ versions, keys } = read);
    if (forgotten === 'all') publisher.forgetKey();
    else for (const id of forgotten) publisher.forgetKey(id);
    await publisher.afterCommit(
      changed.map(([id]) => id),
      [],
    );
  };

  const look = (): Promise<void> => {
    looking ??= lookOnce()
      .catch(onError)
      .finally(() => {
        looking = undefined;
      });
    return looking;
  };

  const hear = async (): Promise<void> => {
    // A look that is under way may have begun before what is told.
    await looking;
    if (!isStopped) await look();
  };

  return {
    look,
    start(intervalMs) {
      const postgres = postgresOf(db);
      listening = postgres?.listen(hear);
      timer = setInterval(look, postgres === undefined ? intervalMs : LISTENING_INTERVAL_MS).unref();
    },
    async stop() {
      isStopped = true;
      clearInterval(timer);
      await listening?.stop();
      while (looking !== undefined) await looking;
    },
  };
}

/** Epoch and version by environment, and in which history: in another one the same version may be another. */
async function readVersions(db: Database, { history }: CommitsSeen): Promise<ReadonlyMap<string, string>> {
  const rows = await db.selectFrom('rulesets').select(['environment_id', 'epoch', 'version']).execute();
  return new Map(
    rows.map(({ environment_id, epoch, version }) => [environment_id, `${history} ${epoch} ${version}`]),
  );
}

interface KeysSeen {
  /** Differs when a key was made, changed, rotated or revoked, or its project archived; not when one was used. */
  readonly sum: string;
  /** What each of them opens, by its id. */
  readonly byId: ReadonlyMap<string, string>;
}

/** One by one only when the sum says that there is a difference. */
async function readKeys(
  db: Database,
  { history }: CommitsSeen,
  before: KeysSeen | undefined,
): Promise<KeysSeen> {
  const { rows } = await sql<object>`
    select count(*) as keys, sum(revision) as revisions, count(revoked_at) as revoked,
      (select count(archived_at) from projects) as archived from api_keys`.execute(db);
  const sum = JSON.stringify([history, rows]);
  if (sum === before?.sum) return before;
  const keys = await db
    .selectFrom('api_keys')
    .innerJoin('projects', 'projects.id', 'api_keys.project_id')
    .select(['api_keys.id', 'api_keys.revision', 'api_keys.hash', 'api_keys.previous_hash'])
    .select(['api_keys.expires_at', 'api_keys.previous_expires_at', 'api_keys.revoked_at'])
    .select(['api_keys.allowed_origins_json', 'api_keys.allowed_ips_json', 'projects.archived_at'])
    .execute();
  return { sum, byId: new Map(keys.map(({ id, ...rest }) => [id, JSON.stringify(rest)])) };
}

/** Those that differ: a key that does not is served on, whatever becomes of the database just now. */
function changedKeys(before: KeysSeen | undefined, now: KeysSeen): 'all' | readonly string[] {
  if (before === undefined) return 'all';
  const ids = new Set([...before.byId.keys(), ...now.byId.keys()]);
  return [...ids].filter((id) => before.byId.get(id) !== now.byId.get(id));
}
