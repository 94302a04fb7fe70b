import { DAY_MS } from '../../../lib/durations.ts';
import type { Database, Queryable } from '../../../storage/database.ts';
import { longReads } from '../../../storage/long-reads.ts';
import type { FreezeWindowTable } from '../../../storage/tables.ts';
import type { Actor } from '../../access/actor.ts';
import { hasPermission } from '../../access/permissions.ts';
import type { ViewCounts } from '../flag-overview/view-counts.ts';
import type { RequireProject } from '../projects/require-project.ts';
import { type ComingFreeze, freezesOf, type StoppedChange, stoppedChanges } from './attention-freezes.ts';
import {
  countExpiringKeys,
  countFailingWebhooks,
  countReviews,
  listFailedChanges,
  listOpenChanges,
  listPlaces,
} from './attention-store.ts';

/** A key that expires within this time counts. */
const EXPIRING_MS = 14 * DAY_MS;
/** A scheduled change that was not made counts for this long. */
const FAILED_MS = 7 * DAY_MS;
/** The most scheduled changes that the answer names. */
const CHANGES_MAX = 20;

/** What needs attention in a project. Null: the caller may not see it. */
export interface Attention {
  readonly stale_flags: { readonly mine: number; readonly all: number };
  readonly changed_flags: number;
  readonly break_glass_reviews: number | null;
  readonly failing_webhooks: number | null;
  readonly expiring_keys: number | null;
  readonly active_freezes: readonly ComingFreeze[];
  readonly next_freeze: ComingFreeze | null;
  readonly stopped_changes: { readonly total: number; readonly first: readonly StoppedChange[] };
  readonly failed_changes: Awaited<ReturnType<typeof listFailedChanges>>;
}

export interface AttentionService {
  /** Throws PROJECT_NOT_FOUND. */
  read(
    actor: Actor,
    wanted: { readonly projectId: string; readonly changedSince?: string | undefined },
  ): Promise<Attention>;
}

export interface AttentionDeps {
  readonly db: Database;
  readonly now: () => number;
  readonly requireProject: RequireProject;
  readonly countViews: (
    db: Queryable,
    organizationId: string,
    of: { readonly projectId: string; readonly ownerId: string | null; readonly changedSince: string },
  ) => Promise<ViewCounts>;
  readonly listLiveFreezeWindows: (
    db: Queryable,
    organizationId: string,
    at: string,
  ) => Promise<readonly FreezeWindowTable[]>;
}

export function createAttentionService(deps: AttentionDeps): AttentionService {
  const { now, requireProject, countViews, listLiveFreezeWindows } = deps;
  return {
    async read(actor, { projectId, changedSince }) {
      const { organizationId, id: ownerId } = actor;
      await requireProject(deps.db, organizationId, projectId);
      const db = longReads(deps.db);
      const place = { organizationId, projectId };
      const time = now();
      const at = toText(time);
      const since = changedSince ?? toText(time - (time % DAY_MS));
      const views = await countViews(db, organizationId, { projectId, ownerId, changedSince: since });
      const windows = await listLiveFreezeWindows(db, organizationId, at);
      const places = await listPlaces(db, place);
      const changes = await listOpenChanges(db, place);
      const stopped = stoppedChanges(windows, { places, changes, now: time });
      const until = toText(time + EXPIRING_MS);
      const withProduction = hasPermission(actor, 'api_key.write_production', projectId);
      return {
        stale_flags: { mine: views.stale_mine, all: views.stale },
        changed_flags: views.changed,
        break_glass_reviews: hasPermission(actor, 'break_glass.review')
          ? await countReviews(db, organizationId, { reviewerId: ownerId, at })
          : null,
        failing_webhooks: hasPermission(actor, 'webhook.read') ? await countFailingWebhooks(db, place) : null,
        expiring_keys: hasPermission(actor, 'api_key.read', projectId)
          ? await countExpiringKeys(db, place, { from: at, until, withProduction })
          : null,
        ...freezesOf(windows, places, time),
        stopped_changes: { total: stopped.length, first: stopped.slice(0, CHANGES_MAX) },
        failed_changes: await listFailedChanges(db, place, {
          since: toText(time - FAILED_MS),
          max: CHANGES_MAX,
        }),
      };
    },
  };
}

const toText = (time: number): string => new Date(time).toISOString();
