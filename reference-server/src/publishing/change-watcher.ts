import type { Database } from '../storage/database.ts';
import { type Listen, postgresOf } from '../storage/engine.ts';
import { type CommitsSeen, readCommits } from '../storage/row-changes.ts';
import type { Publisher } from './publish.ts';

/** Watches the database for commits of other processes. */
export interface ChangeWatcher {
  /** Checks once; resolves when everything found is served. */
  check(): Promise<void>;
  /**
   * Checks at this interval. On PostgreSQL, each notification triggers a check, and the interval is always a second.
   */
  start(intervalMs: number): void;
  /** Resolves when the last check is over. */
  stop(): Promise<void>;
}

/** On PostgreSQL, a check also runs at this interval, to find commits whose notification was lost with a connection. */
const LISTENING_INTERVAL_MS = 1_000;

/**
 * First checks whether anything was committed, which takes microseconds on SQLite. On PostgreSQL it is one query, which
 * ignores commits of counts, events and leases. After a commit, compares the versions of each environment's ruleset and
 * keys with the last known ones. Whatever differs is published in the same way as this process's own commits
 * (decisions/0040).
 */
export function createChangeWatcher(deps: {
  readonly db: Database;
  readonly publisher: Pick<Publisher, 'afterCommit' | 'forgetKey'>;
  readonly onError: (error: unknown) => void;
  /** Called when another process, or this one, has committed a ruleset, a key or an audit entry. */
  readonly onCommits?: (() => void) | undefined;
  /** Announces commits of other processes, in addition to what the database announces. */
  readonly listen?: Listen | undefined;
}): ChangeWatcher {
  const { db, publisher, onError, onCommits } = deps;
  let seen: CommitsSeen | undefined;
  let marks: Marks = { rulesets: new Map(), keys: new Map() };
  let keys: ReadonlyMap<string, string> = new Map();
  let checking: Promise<void> | undefined;
  let timer: NodeJS.Timeout | undefined;
  let listening: readonly ReturnType<Listen>[] = [];
  let isStopped = false;

  const checkOnce = async (): Promise<void> => {
    // Commits are read first, so that the next check finds what is committed during this one.
    const now = await readCommits(db, seen);
    if (!now.isNew) {
      seen = now;
      return;
    }
    onCommits?.();
    const read = await readMarks(db, now);
    const areKeysSame = seen !== undefined && differing(marks.keys, read.keys).length === 0;
    const readKeys = areKeysSame ? keys : await readKeyMarks(db, now);
    const changed = differing(marks.rulesets, read.rulesets).filter((id) => read.rulesets.has(id));
    // Unchanged keys stay in memory, so that they still work during an outage of the database.
    const changedKeys = seen === undefined ? [undefined] : differing(keys, readKeys);
    seen = now;
    marks = read;
    keys = readKeys;
    for (const id of changedKeys) publisher.forgetKey(id);
    await publisher.afterCommit(changed, []);
  };

  const check = (): Promise<void> => {
    checking ??= checkOnce()
      .catch(onError)
      .finally(() => {
        checking = undefined;
      });
    return checking;
  };

  const onNotification = async (): Promise<void> => {
    // A check that is already running may have started before the commit.
    await checking;
    if (!isStopped) await check();
  };

  return {
    check,
    start(intervalMs) {
      const postgres = postgresOf(db);
      listening = [postgres?.listen, deps.listen].flatMap((listen) => listen?.(onNotification) ?? []);
      timer = setInterval(check, postgres === undefined ? intervalMs : LISTENING_INTERVAL_MS).unref();
    },
    async stop() {
      isStopped = true;
      clearInterval(timer);
      await Promise.all(listening.map((each) => each.stop()));
      while (checking !== undefined) await checking;
    },
  };
}

/**
 * Marks that identify the state of each environment. Within one history, marks are made of numbers that only increase,
 * so no two states share a mark; sums or row counts could return to an earlier value.
 */
interface Marks {
  readonly rulesets: ReadonlyMap<string, string>;
  /**
   * A mark changes when a key of its environment is created, changed or deleted, or the environment or its project
   * is archived or restored.
   */
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

/** A mark of what each key grants, by key id. A mark never returns to an earlier value. */
async function readKeyMarks(db: Database, { history }: CommitsSeen): Promise<ReadonlyMap<string, string>> {
  const keys = await db
    .selectFrom('api_keys')
    .innerJoin('projects', 'projects.id', 'api_keys.project_id')
    .innerJoin('environments', 'environments.id', 'api_keys.environment_id')
    .select(['api_keys.id', 'api_keys.revision', 'api_keys.hash', 'api_keys.previous_hash'])
    .select(['api_keys.expires_at', 'api_keys.previous_expires_at', 'api_keys.revoked_at'])
    .select(['api_keys.allowed_origins_json', 'api_keys.allowed_ips_json'])
    // What is archived and restored between two checks has the same `archived_at` as before, but a new revision.
    .select(['projects.archived_at', 'projects.revision as project_revision'])
    .select(['environments.archived_at as environment_archived_at'])
    .select(['environments.revision as environment_revision'])
    .execute();
  return new Map(keys.map(({ id, ...rest }) => [id, JSON.stringify([history, rest])]));
}

/** The names that were added, removed or given another value. */
function differing(before: ReadonlyMap<string, string>, now: ReadonlyMap<string, string>): readonly string[] {
  const names = new Set([...before.keys(), ...now.keys()]);
  return [...names].filter((name) => before.get(name) !== now.get(name));
}
