import { sql } from 'kysely';
import type { Database } from '../storage/database.ts';
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

/**
 * Reads SQLite's `data_version`, a few microseconds, which moves with every commit of another connection. Only then
 * the versions of rulesets and what keys depend on are compared with what they were, and what differs is told to the
 * publisher, as if it had been written here (decision 0122).
 */
export function createOtherWriters(deps: {
  readonly db: Database;
  readonly publisher: Pick<Publisher, 'afterCommit' | 'forgetKey'>;
  readonly onError: (error: unknown) => void;
}): OtherWriters {
  const { db, publisher, onError } = deps;
  let seen: number | undefined;
  let versions: ReadonlyMap<string, string> = new Map();
  let keys = '';
  let looking: Promise<void> | undefined;
  let timer: NodeJS.Timeout | undefined;

  const lookOnce = async (): Promise<void> => {
    const dataVersion = await readDataVersion(db);
    if (dataVersion === seen) return;
    // Before the rest is read: what is committed meanwhile is found by the next look.
    seen = dataVersion;
    const now = { versions: await readVersions(db), keys: await readKeys(db) };
    const changed = [...now.versions].filter(([id, version]) => versions.get(id) !== version);
    const areKeysChanged = keys !== now.keys;
    ({ versions, keys } = now);
    if (areKeysChanged) publisher.forgetKey();
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

  return {
    look,
    start(intervalMs) {
      timer = setInterval(look, intervalMs).unref();
    },
    async stop() {
      clearInterval(timer);
      await looking;
    },
  };
}

async function readDataVersion(db: Database): Promise<number> {
  const { rows } = await sql<{ data_version: number }>`pragma data_version`.execute(db);
  return rows[0]!.data_version;
}

/** Epoch and version by environment. */
async function readVersions(db: Database): Promise<ReadonlyMap<string, string>> {
  const rows = await db.selectFrom('rulesets').select(['environment_id', 'epoch', 'version']).execute();
  return new Map(rows.map(({ environment_id, epoch, version }) => [environment_id, `${epoch} ${version}`]));
}

/** Differs when a key was made, changed, rotated or revoked, or its project archived; not when one was used. */
async function readKeys(db: Database): Promise<string> {
  const { rows } = await sql<object>`
    select (select count(*) || ' ' || total(revision) || ' ' || count(revoked_at) from api_keys) as keys,
      (select count(archived_at) from projects) as archived`.execute(db);
  return JSON.stringify(rows);
}
