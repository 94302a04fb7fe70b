import { DAY_MS } from '../../../lib/durations.ts';
import { runSequentially } from '../../../lib/run-sequentially.ts';
import type { Outcome } from '../../write-gate/change.ts';
import type { EventStore } from '../events/event-store.ts';
import { planMarkStale } from '../flags/plans/status-plans.ts';
import { readSettings, type StalePolicy } from '../projects/project-settings.ts';
import { archiveStaleFlags, writeArchiveNotices } from './auto-archive.ts';
import { applyEach, changeFlag, type StalenessJobDeps } from './flag-changes.ts';
import { type StaleCandidate, staleReasons } from './staleness.ts';
import {
  lastEvaluations,
  listCandidates,
  listProductionIds,
  listProjectRefs,
  listStaleConfigs,
  type ProjectRef,
} from './staleness-store.ts';

export interface StalenessReport {
  readonly markedStale: number;
  /** Flags that got a notice of their archiving. */
  readonly noticed: number;
  readonly archived: number;
  /** Changes that a guard refused, for instance during a freeze window; the next run tries them again. */
  readonly refused: number;
}

export interface StalenessJob {
  /** Checks every flag of every project. Throws an AggregateError at the end when some projects failed. */
  run(): Promise<StalenessReport>;
}

/** The nightly job that marks active flags as stale and, in projects that enable it, archives stale ones. */
export function createStalenessJob(deps: StalenessJobDeps): StalenessJob {
  return {
    async run() {
      const report = { markedStale: 0, noticed: 0, archived: 0, refused: 0 };
      await runSequentially(await listProjectRefs(deps.db), async (project) => {
        const { stale_policy: policy } = readSettings(project.settingsJson);
        count(report, 'markedStale', await markStale(deps, project, policy));
        const { auto_archive_after_days: days } = policy;
        if (days === null) return;
        count(report, 'noticed', await writeArchiveNotices(deps, project, days));
        count(report, 'archived', await archiveStaleFlags(deps, project, days));
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

async function markStale(
  deps: StalenessJobDeps,
  project: ProjectRef,
  policy: StalePolicy,
): Promise<readonly Outcome<unknown>[]> {
  const { db } = deps;
  const now = deps.now();
  const configs = await listStaleConfigs(db, project.id);
  const evaluations = await lastEvaluations(db, project.id);
  const lastReport = Math.max(0, ...evaluations.values());
  const isReporting = lastReport >= now - policy.not_evaluated_days * DAY_MS;
  const servedSince = await readServed(deps, project);
  const changes = [];
  for (const flag of await listCandidates(db, project.id, 'active')) {
    const windowStart = now - (flag.stale_after_days ?? policy.single_variation_days) * DAY_MS;
    const counts = (await servedSince(windowStart)).get(flag.key);
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
    changes.push(
      changeFlag(deps, { action: 'flag.marked_stale', project, flagId: flag.id }, (_tx, state, at) =>
        planMarkStale(state, reasons, at),
      ),
    );
  }
  return applyEach(deps, project, changes);
}

/** Returns a function that reads the production counts since a given time, and reads them only once for each time. */
async function readServed({ db, events }: StalenessJobDeps, { id, organizationId }: ProjectRef) {
  const environmentIds = await listProductionIds(db, id);
  const known = new Map<number, ReturnType<EventStore['countServed']>>();
  return (since: number) => {
    const of = { organizationId, environmentIds, since: new Date(since).toISOString() };
    const counts = known.get(since) ?? events.countServed(of);
    known.set(since, counts);
    return counts;
  };
}

function timeOf(text: string | null): number | null {
  return text === null ? null : Date.parse(text);
}
