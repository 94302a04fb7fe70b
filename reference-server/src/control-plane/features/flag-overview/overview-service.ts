import { ApiError } from '../../../http/errors.ts';
import { DAY_MS } from '../../../lib/durations.ts';
import type { Database } from '../../../storage/database.ts';
import { longReads } from '../../../storage/long-reads.ts';
import type { Actor } from '../../access/actor.ts';
import type { ListEnvironmentIds } from '../environments/environment-store.ts';
import type { RequireEnvironment } from '../environments/require-environment.ts';
import type { EventStore } from '../events/event-store.ts';
import type { RequireProject } from '../projects/require-project.ts';
import { countEvaluations, type EvaluationHours, NO_EVALUATIONS } from './evaluation-hours.ts';
import { writeCursor } from './flag-cursor.ts';
import type { OverviewFilter } from './overview-filter.ts';
import {
  countOverview,
  listOverviewIds,
  listOverviewStates,
  type OverviewRange,
  type OverviewRow,
  type OverviewState,
  readOverviewRows,
} from './overview-store.ts';
import { countViews, type ViewCounts } from './view-counts.ts';

export interface OverviewFlag extends OverviewRow {
  readonly last_evaluated_at: string | null;
  readonly environments: readonly Omit<OverviewState, 'flag_id'>[];
  readonly evaluations?: EvaluationHours;
}

export interface OverviewQuery {
  readonly filter: OverviewFilter;
  readonly range: OverviewRange;
  readonly withEvaluations: boolean;
}

export interface OverviewPage {
  readonly flags: readonly OverviewFlag[];
  readonly total: number;
  readonly nextCursor: string | null;
}

export interface OverviewService {
  /** Throws PROJECT_NOT_FOUND, and ENVIRONMENT_NOT_FOUND for an environment of another project. */
  list(actor: Actor, query: OverviewQuery): Promise<OverviewPage>;
  /** Counts the flags of each view. Throws PROJECT_NOT_FOUND. */
  views(
    actor: Actor,
    wanted: { readonly projectId: string; readonly changedSince?: string | undefined },
  ): Promise<ViewCounts>;
}

export interface OverviewServiceDeps {
  readonly db: Database;
  readonly now: () => number;
  readonly requireProject: RequireProject;
  readonly requireEnvironment: RequireEnvironment;
  readonly listEnvironmentIds: ListEnvironmentIds;
  readonly events: Pick<EventStore, 'countByHour'>;
}

export function createOverviewService(deps: OverviewServiceDeps): OverviewService {
  const { now, requireProject, requireEnvironment, listEnvironmentIds } = deps;
  const db = () => longReads(deps.db);

  async function requirePlace(organizationId: string, filter: OverviewFilter): Promise<void> {
    await requireProject(deps.db, organizationId, filter.projectId);
    if (filter.environmentId === undefined) return;
    const environment = await requireEnvironment(deps.db, organizationId, filter.environmentId);
    if (environment.project_id !== filter.projectId) throw new ApiError('ENVIRONMENT_NOT_FOUND');
  }

  async function evaluationsOf(organizationId: string, projectId: string, flagKeys: readonly string[]) {
    const environmentIds = await listEnvironmentIds(deps.db, organizationId, projectId);
    return countEvaluations(deps.events, { organizationId, environmentIds, flagKeys, now: now() });
  }

  return {
    async list({ organizationId }, { filter, range, withEvaluations }) {
      await requirePlace(organizationId, filter);
      const { flags: found, hasMore } = await listOverviewIds(db(), organizationId, { filter, range });
      const total = await countOverview(db(), organizationId, filter);
      const ids = found.map(({ id }) => id);
      const rows = await readOverviewRows(db(), organizationId, ids);
      const states = byFlag(await listOverviewStates(db(), organizationId, ids));
      // A flag can be deleted between the statements.
      const present = ids.flatMap((id) => rows.get(id) ?? []);
      const keys = present.map(({ key }) => key);
      const series = withEvaluations
        ? await evaluationsOf(organizationId, filter.projectId, keys)
        : undefined;
      const flags = present.map((row) => {
        const flag = inEnvironments(row, states.get(row.id) ?? []);
        return series === undefined ? flag : { ...flag, evaluations: series.get(row.key) ?? NO_EVALUATIONS };
      });
      return { flags, total, nextCursor: hasMore ? writeCursor(range, found.at(-1)!) : null };
    },

    async views({ organizationId, id }, { projectId, changedSince }) {
      await requireProject(deps.db, organizationId, projectId);
      const midnight = new Date(now() - (now() % DAY_MS)).toISOString();
      const wanted = { projectId, ownerId: id, changedSince: changedSince ?? midnight };
      return countViews(db(), organizationId, wanted);
    },
  };
}

function byFlag(states: readonly OverviewState[]): ReadonlyMap<string, readonly OverviewState[]> {
  const lists = new Map<string, OverviewState[]>();
  for (const state of states) lists.set(state.flag_id, [...(lists.get(state.flag_id) ?? []), state]);
  return lists;
}

function inEnvironments(row: OverviewRow, states: readonly OverviewState[]): OverviewFlag {
  const latest = (times: readonly (string | null)[]) =>
    times.reduce((last, time) => (time !== null && (last === null || time > last) ? time : last), null);
  return {
    ...row,
    updated_at: latest([row.updated_at, ...states.map((state) => state.updated_at)])!,
    last_evaluated_at: latest(states.map((state) => state.last_evaluated_at)),
    environments: states.map(({ flag_id: _flag, ...state }) => state),
  };
}
