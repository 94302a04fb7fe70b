import { DAY_MS } from '../../../lib/durations.ts';
import type { Outcome } from '../../write-gate/change.ts';
import { fieldsOf, projectWideResource } from '../flags/flag-state.ts';
import { planArchive } from '../flags/plans/archive-plan.ts';
import { requireStatus } from '../flags/require-flag.ts';
import { applyEach, changeFlag, type StalenessJobDeps } from './flag-changes.ts';
import {
  type CandidateRow,
  lastEntry,
  lastEvaluations,
  listCandidates,
  type ProjectRef,
} from './staleness-store.ts';

/** How long a notice precedes the archiving of a flag. */
const NOTICE_MS = 14 * DAY_MS;
const NOTICE_ACTION = 'flag.archiving_announced';

type Outcomes = Promise<readonly Outcome<unknown>[]>;

/** Writes a notice for the stale flags that will be archived in 14 days. */
export async function writeArchiveNotices(
  deps: StalenessJobDeps,
  project: ProjectRef,
  days: number,
): Outcomes {
  const changes = [];
  for (const flag of await listIdleFlags(deps, project, Math.max(0, days * DAY_MS - NOTICE_MS))) {
    if ((await noticedAt(deps, project, flag)) !== undefined) continue;
    changes.push(
      changeFlag(deps, { action: NOTICE_ACTION, project, flagId: flag.id }, (_tx, state) => ({
        resource: projectWideResource(state),
        reach: { shared: { requires: 'all-environments' } },
        before: fieldsOf(state),
        after: fieldsOf(state),
        write: async () => undefined,
      })),
    );
  }
  return applyEach(deps, project, changes);
}

/** Archives the stale flags whose notice is 14 days old. */
export async function archiveStaleFlags(deps: StalenessJobDeps, project: ProjectRef, days: number): Outcomes {
  const { lookups } = deps;
  const changes = [];
  for (const flag of await listIdleFlags(deps, project, days * DAY_MS)) {
    const noticed = await noticedAt(deps, project, flag);
    if (noticed === undefined || noticed > deps.now() - NOTICE_MS) continue;
    changes.push(
      changeFlag(deps, { action: 'flag.archived', project, flagId: flag.id }, (tx, state, at) =>
        planArchive(tx, { lookups, before: requireStatus(state, 'stale'), at }),
      ),
    );
  }
  return applyEach(deps, project, changes);
}

/** Flags that have been stale, not evaluated and not named by code for at least `idleMs`. */
async function listIdleFlags(
  { db, now, lastCodeReferences }: StalenessJobDeps,
  project: ProjectRef,
  idleMs: number,
): Promise<readonly CandidateRow[]> {
  const before = now() - idleMs;
  const evaluations = await lastEvaluations(db, project.id);
  const references = await lastCodeReferences(db, project.id);
  const stale = await listCandidates(db, project.id, 'stale');
  return stale.filter(
    (flag) =>
      Date.parse(flag.stale_since ?? flag.created_at) <= before &&
      (evaluations.get(flag.key) ?? 0) <= before &&
      (references.get(flag.key) ?? 0) <= before,
  );
}

/** When the notice was written; undefined when there was none since the flag became stale. */
async function noticedAt(
  { db }: StalenessJobDeps,
  { organizationId }: ProjectRef,
  flag: CandidateRow,
): Promise<number | undefined> {
  const at = await lastEntry(db, { organizationId, flagId: flag.id, action: NOTICE_ACTION });
  return at === undefined || at < (flag.stale_since ?? '') ? undefined : Date.parse(at);
}
