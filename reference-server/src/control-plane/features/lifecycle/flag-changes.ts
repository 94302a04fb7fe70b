import { ApiError } from '../../../http/errors.ts';
import type { Database, Queryable, Tx } from '../../../storage/database.ts';
import { systemActor } from '../../access/actor.ts';
import type { AuditAction } from '../../write-gate/audit-actions.ts';
import type { Change, Outcome, Plan, WriteGate } from '../../write-gate/change.ts';
import type { EventStore } from '../events/event-store.ts';
import type { FlagState } from '../flags/flag-state.ts';
import type { ListStates } from '../flags/flag-store.ts';
import type { ProjectLookups } from '../flags/project-lookups.ts';
import type { ProjectRef } from './staleness-store.ts';

export interface StalenessJobDeps {
  readonly db: Database;
  readonly gate: WriteGate;
  readonly now: () => number;
  readonly lookups: Pick<ProjectLookups, 'listEnvironmentIds' | 'countCodeReferences'>;
  readonly listStates: ListStates;
  readonly events: Pick<EventStore, 'countServed'>;
  /** When code last named each flag key of a project, in milliseconds since 1970; infinite if it still does. */
  readonly lastCodeReferences: (db: Queryable, projectId: string) => Promise<ReadonlyMap<string, number>>;
}

/** A change of one flag by the nightly job. */
export function changeFlag(
  { listStates }: StalenessJobDeps,
  { action, project, flagId }: { action: AuditAction; project: ProjectRef; flagId: string },
  plan: (tx: Tx, state: FlagState, at: string) => Plan<unknown> | Promise<Plan<unknown>>,
): Change<unknown> {
  return {
    action,
    permission: 'flag.write',
    async plan(tx, at) {
      const [state] = await listStates(tx, project.organizationId, flagId);
      if (state === undefined) throw new ApiError('FLAG_NOT_FOUND');
      return plan(tx, state, at);
    },
  };
}

/** Applies the changes of one project. An error undoes only the change in which it occurs. */
export async function applyEach(
  { gate }: StalenessJobDeps,
  { organizationId }: ProjectRef,
  changes: readonly Change<unknown>[],
): Promise<readonly Outcome<unknown>[]> {
  if (changes.length === 0) return [];
  return gate.applyChanges(systemActor(organizationId), {
    permission: 'flag.write',
    atomic: 'each',
    changes: () => changes,
  });
}
