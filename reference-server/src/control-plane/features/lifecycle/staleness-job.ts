import { ApiError } from '../../../http/errors.ts';
import { DAY_MS } from '../../../lib/durations.ts';
import { runSequentially } from '../../../lib/run-sequentially.ts';
import type { Queryable } from '../../../storage/database.ts';
import { systemActor } from '../../access/actor.ts';
import type { Change, Outcome } from '../../write-gate/change.ts';
import { type FlagState, fieldsOf, resourceEverywhere } from '../flags/flag-state.ts';
import { planArchive } from '../flags/plans/archive-plan.ts';
import { readSettings, type StalePolicy } from '../projects/project-settings.ts';
import { planMarkStale, requireStatus } from './lifecycle-plans.ts';
import type { LifecycleDeps } from './lifecycle-service.ts';
import { type StaleCandidate, staleReasons } from './staleness.ts';
import {
  type CandidateRow,
  lastEntry,
  lastEvaluations,
  listCandidates,
  listProjectRefs,
  listStaleConfigs,
  type ProjectRef,
  productionCounts,
} from './staleness-store.ts';

/** How long before it archives a flag the job says so. */
const NOTICE_MS = 14 * DAY_MS;
const ANNOUNCED = 'flag.archiving_announced';

/** What one run has done. */
export interface StalenessReport {
  readonly markedStale: number;
  readonly announced: number;
  readonly archived: number;
  /** Changes that a guard refused, such as a freeze window; the next run tries again. */
  readonly refused: number;
}

export interface StalenessJob {
  /** Looks at every flag of every project, as of now; of projects that it failed with it tells afterwards. */
  run(): Promise<StalenessReport>;
}

/** The nightly job: active flags become stale, and, where a project wants it, stale ones are archived. */
export function createStalenessJob(deps: LifecycleDeps): StalenessJob {
  return {
    async run() {
      const report = { markedStale: 0, announced: 0, archived: 0, refused: 0 };
      await runSequentially(await listProjectRefs(deps.db), async (project) => {
        const { stale_policy: policy } = readSettings(project.settingsJson);
        const marked = await markStale(deps, project, policy);
        count(report, 'markedStale', marked);
        if (policy.auto_archive_after_days === null) return;
        count(report, 'announced', await announce(deps, project, policy.auto_archive_after_days));
        count(report, 'archived', await archive(deps, project, policy.auto_archive_after_days));
      });
      return report;
    },
  };
}

function count(
  report: Record<keyof StalenessReport, number>,
  name: keyof StalenessReport,
  outcomes: readonly Outcome<unknown>[],
): void {
  for (const { ok } of outcomes) report[ok ? name : 'refused']++;
}

function apply(deps: LifecycleDeps, project: ProjectRef, changes: readonly Change<unknown>[]) {
  if (changes.length === 0) return [];
  return deps.gate.applyChanges(systemActor(project.organizationId), {
    permission: 'flag.write',
    atomic: 'each',
    changes: () => changes,
  });
}

async function markStale(
  deps: LifecycleDeps,
  project: ProjectRef,
  policy: StalePolicy,
): Promise<readonly Outcome<unknown>[]> {
  const { db, rows } = deps;
  const now = deps.now();
  const configs = await listStaleConfigs(db, project.id);
  const evaluations = await lastEvaluations(db, project.id);
  const lastReport = Math.max(0, ...evaluations.values());
  const isReporting = lastReport >= now - policy.not_evaluated_days * DAY_MS;
  const served = servedIn(deps, project);
  const changes: Change<unknown>[] = [];
  for (const flag of await listCandidates(db, project.id, 'active')) {
    const windowStart = now - (flag.stale_after_days ?? policy.single_variation_days) * DAY_MS;
    const counts = (await served(windowStart)).get(flag.key);
    const candidate: StaleCandidate = {
      classification: flag.classification,
      permanent: false,
      createdAt: Date.parse(flag.created_at),
      expectedEndAt: timeOf(flag.expected_end_at),
      staleAfterDays: flag.stale_after_days,
      snoozedUntil: timeOf(flag.stale_snoozed_until),
      configs: configs.get(flag.id) ?? [],
      lastEvaluatedAt: evaluations.get(flag.key) ?? null,
      servedSince: () => counts ?? { variations: 0, evaluations: 0 },
    };
    const reasons = staleReasons(candidate, policy, { now, isReporting });
    if (reasons.length === 0) continue;
    changes.push({
      action: 'flag.marked_stale',
      permission: 'flag.write',
      plan: async (tx, at) =>
        planMarkStale(rows, await requireState(deps, tx, project, flag.id), reasons, at),
    });
  }
  return apply(deps, project, changes);
}

/** Counts by window, each read once. */
function servedIn({ db }: LifecycleDeps, project: ProjectRef) {
  const known = new Map<number, ReturnType<typeof productionCounts>>();
  return (since: number) => {
    const counts = known.get(since) ?? productionCounts(db, project.id, new Date(since).toISOString());
    known.set(since, counts);
    return counts;
  };
}

function timeOf(text: string | null): number | null {
  return text === null ? null : Date.parse(text);
}

async function requireState(
  { listStates }: LifecycleDeps,
  db: Queryable,
  { organizationId }: ProjectRef,
  flagId: string,
): Promise<FlagState> {
  const [flag] = await listStates(db, organizationId, flagId);
  if (flag === undefined) throw new ApiError('FLAG_NOT_FOUND');
  return flag;
}

/** Stale flags that for so long were neither evaluated nor named by code. */
async function dueFlags(
  { db, now, lastCodeReferences }: LifecycleDeps,
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

/** When the archiving was announced, if that was since the flag became stale. */
async function announcedAt(
  { db }: LifecycleDeps,
  { organizationId }: ProjectRef,
  flag: CandidateRow,
): Promise<number | undefined> {
  const at = await lastEntry(db, organizationId, flag.id, ANNOUNCED);
  return at === undefined || at < (flag.stale_since ?? '') ? undefined : Date.parse(at);
}

async function announce(deps: LifecycleDeps, project: ProjectRef, days: number) {
  const changes: Change<unknown>[] = [];
  for (const flag of await dueFlags(deps, project, Math.max(0, days * DAY_MS - NOTICE_MS))) {
    if ((await announcedAt(deps, project, flag)) !== undefined) continue;
    changes.push({
      action: ANNOUNCED,
      permission: 'flag.write',
      async plan(tx) {
        const state = await requireState(deps, tx, project, flag.id);
        return {
          resource: resourceEverywhere(state),
          reach: { shared: { requires: 'all-environments' } },
          before: fieldsOf(state),
          after: fieldsOf(state),
          write: async () => undefined,
        };
      },
    });
  }
  return apply(deps, project, changes);
}

async function archive(deps: LifecycleDeps, project: ProjectRef, days: number) {
  const changes: Change<unknown>[] = [];
  for (const flag of await dueFlags(deps, project, days * DAY_MS)) {
    const announced = await announcedAt(deps, project, flag);
    if (announced === undefined || announced > deps.now() - NOTICE_MS) continue;
    changes.push({
      action: 'flag.archived',
      permission: 'flag.write',
      plan: async (tx, at) =>
        planArchive(
          tx,
          deps.ports,
          requireStatus(await requireState(deps, tx, project, flag.id), 'stale'),
          at,
        ),
    });
  }
  return apply(deps, project, changes);
}
