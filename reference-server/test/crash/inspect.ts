import { openConnection } from '../../src/storage/sqlite.ts';
import type { FlagState, Writer } from './writer.ts';

/** Writes that were in flight at a kill. */
export interface UnknownWrites {
  applied: number;
  lost: number;
}

/**
 * Opens the database as a server does, and compares it with the writes that the writers recorded. Returns one sentence
 * per fault. Sets the state of each writer to the stored state, which settles its write in flight.
 */
export function inspect(
  file: string,
  environmentId: string,
  writers: readonly Writer[],
  unknown: UnknownWrites,
): string[] {
  const faults: string[] = [];
  const db = openConnection(`sqlite:${file}`);
  try {
    for (const writer of writers) {
      const stored = readState(db, environmentId, writer.flagId);
      const { state, pending } = writer;
      if (isSame(stored, pending)) {
        unknown.applied += 1;
        writer.applied += 1;
      } else if (isSame(stored, state)) {
        if (pending !== undefined) unknown.lost += 1;
      } else {
        faults.push(
          `${writer.flagId} holds ${JSON.stringify(stored)}; ${JSON.stringify(state)} was acknowledged, ${JSON.stringify(pending)} in flight`,
        );
      }
      writer.state = stored;
      writer.pending = undefined;
      const entries = count(
        db,
        `select count(*) from audit_entries where resource_id = ? and action in ('flag.toggled', 'flag.updated')`,
        writer.flagId,
      );
      if (entries !== writer.applied) {
        faults.push(`${writer.flagId} has ${entries} audit entries for ${writer.applied} changes`);
      }
    }
    faults.push(...compareCounts(db, environmentId, writers));
  } finally {
    db.close();
  }
  return faults;
}

type Connection = ReturnType<typeof openConnection>;

/** Checks that every change has one audit entry, one outbox row and one version. */
function compareCounts(db: Connection, environmentId: string, writers: readonly Writer[]): string[] {
  const faults: string[] = [];
  const entries = count(db, 'select count(*) from audit_entries');
  const published = count(db, 'select count(*) from outbox');
  if (entries !== published) faults.push(`there are ${entries} audit entries and ${published} outbox rows`);

  const version = count(db, 'select version from rulesets where environment_id = ?', environmentId);
  const changes = writers.reduce((sum, { applied }) => sum + applied, 0);
  // The version starts at 1, and the creation of each writer's flag raised it by 1.
  const expected = 1 + writers.length + changes;
  if (version !== expected)
    faults.push(`the ruleset has version ${version} after ${changes} changes, not ${expected}`);
  return faults;
}

function readState(db: Connection, environmentId: string, flagId: string): FlagState {
  const row = db
    .prepare('select enabled, rules_json from flag_environments where environment_id = ? and flag_id = ?')
    .get(environmentId, flagId) as { enabled: number; rules_json: string };
  const [rule] = JSON.parse(row.rules_json) as { conditions: { value: number }[] }[];
  return { enabled: row.enabled === 1, number: rule?.conditions[0]?.value ?? 0 };
}

function isSame(left: FlagState, right: FlagState | undefined): boolean {
  return left.enabled === right?.enabled && left.number === right.number;
}

function count(db: Connection, query: string, ...parameters: string[]): number {
  return db
    .prepare(query)
    .pluck()
    .get(...parameters) as number;
}
