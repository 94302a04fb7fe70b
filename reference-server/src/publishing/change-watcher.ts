import type { Database } from '../storage/database.ts';
import { type Listen, postgresOf } from '../storage/engine.ts';
import { type CommitsSeen, readCommits } from '../storage/row-changes.ts';
import type { Publisher } from './publish.ts';

/** Notices what other processes have committed to the same database. */
export interface OtherWriters {
  /** Looks once; resolves when what was found is served. */
  look(): Promise<void>;
  /** Looks at this interval. */
  start(intervalMs: number): void;
  /** Resolves when the last look is over. */
  stop(): Promise<void>;
}

/** Only what is told on a connection that is lost, and not yet open again, waits so long. */
const LISTENING_INTERVAL_MS = 1_000;

/**
 * First asks whether anything was committed: a few microseconds on SQLite, which notifies nobody; a query on PostgreSQL,
 * which does, and so is asked less often (decisions/0039). Only then compares each environment's ruleset and keys with
 * what they were. What differs takes the way of this process's own commits (decisions/0040).
 */
export function createOtherWriters(deps: {
  readonly db: Database;
  readonly publisher: Pick<Publisher, 'afterCommit' | 'forgetKey'>;
  readonly onError: (error: unknown) => void;
}): OtherWriters {
  const { db, publisher, onError } = deps;
  let seen: CommitsSeen | undefined;
  let marks: Marks = { rulesets: new Map(), keys: new Map() };
  let keys: ReadonlyMap<string, string> = new Map();
  let looking: Promise<void> | undefined;
  let timer: NodeJS.Timeout | undefined;
  let listening: ReturnType<Listen> | undefined;
  let isStopped = false;

  const lookOnce = async (): Promise<void> => {
    // Before the rest is read: what is committed meanwhile is found by the next look.
    const now = await readCommits(db);
    if (now.commits === seen?.commits && now.history === seen?.history) return;
    const read = await readMarks(db, now);
    const areKeysSame = seen !== undefined && differing(marks.keys, read.keys).length === 0;
    const readKeys = areKeysSame ? keys : await readKeyMarks(db, now);
    const changed = differing(marks.rulesets, read.rulesets).filter((id) => read.rulesets.has(id));
    // A key that is the same need not be looked up again: the database may be away by then.
    const forgotten = seen === undefined ? [undefined] : differing(keys, readKeys);
    seen = now;
    marks = read;
    keys = readKeys;
    for (const id of forgotten) publisher.forgetKey(id);
    await publisher.afterCommit(changed, []);
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

/**
 * By environment. Each mark only counts up within a history, so that no two states have the same one: sums and numbers
 * of rows come back when one thing goes and another comes.
 */
interface Marks {
  readonly rulesets: ReadonlyMap<string, string>;
  /** Moves when one of the environment's keys is made, changed or deleted, or its project archived or restored. */
  readonly keys: ReadonlyMap<string, string>;
}

async function readMarks(db: Database, { history }: CommitsSeen): Promise<Marks> {
  const rows = await db
    .selectFrom('rulesets')
    .select(['environment_id', 'epoch', 'version', 'keys_revision'])
    .execute();
  return {
    rulesets: new Map(rows.map((row) => [row.environment_id, `${history} ${row.epoch} ${row.version}`])),
    keys: new Map(rows.map((row) => [row.environment_id, `${history} ${row.keys_revision}`])),
  };
}

/** What each key opens, by its id; never the same again once it was another. */
async function readKeyMarks(db: Database, { history }: CommitsSeen): Promise<ReadonlyMap<string, string>> {
  const keys = await db
    .selectFrom('api_keys')
    .innerJoin('projects', 'projects.id', 'api_keys.project_id')
    .select(['api_keys.id', 'api_keys.revision', 'api_keys.hash', 'api_keys.previous_hash'])
    .select(['api_keys.expires_at', 'api_keys.previous_expires_at', 'api_keys.revoked_at'])
    .select(['api_keys.allowed_origins_json', 'api_keys.allowed_ips_json'])
    // Archived and restored between two looks, a project has the `archived_at` of before.
    .select(['projects.archived_at', 'projects.revision as project_revision'])
    .execute();
  return new Map(keys.map(({ id, ...rest }) => [id, JSON.stringify([history, rest])]));
}

/** The names under which there is something else than before, or nothing any more. */
function differing(before: ReadonlyMap<string, string>, now: ReadonlyMap<string, string>): readonly string[] {
  const names = new Set([...before.keys(), ...now.keys()]);
  return [...names].filter((name) => before.get(name) !== now.get(name));
}
