import type { FreezeWindowTable } from '../../../storage/tables.ts';
import { scopeOf } from '../freeze-windows/freeze-plans.ts';
import { coversEnvironment } from '../freeze-windows/freeze-scope.ts';
import { freezeTimes, type Occurrence } from '../freeze-windows/freeze-times.ts';
import type { listOpenChanges, listPlaces } from './attention-store.ts';

/** How far ahead a freeze is announced. */
const AHEAD_DAYS = 100;

export type Places = Awaited<ReturnType<typeof listPlaces>>;
export type OpenChanges = Awaited<ReturnType<typeof listOpenChanges>>;

/** A time at which a window freezes environments of the project. */
export interface ComingFreeze {
  readonly freeze_window_id: string;
  readonly name: string;
  readonly environment_ids: readonly string[];
  readonly starts_at: string;
  /** Null: until somebody ends it. */
  readonly ends_at: string | null;
}

/** A scheduled change that a freeze stops at its time. */
export interface StoppedChange {
  readonly id: string;
  readonly flag_id: string;
  readonly flag_key: string;
  readonly flag_name: string;
  readonly environment_id: string;
  readonly execute_at: string;
  readonly on_freeze: string;
  readonly freeze_window_id: string;
  readonly freeze_ends_at: string | null;
}

/** The windows that are active in the project, and the next that will be. */
export function freezesOf(windows: readonly FreezeWindowTable[], places: Places, now: number) {
  const coming = (pick: (window: FreezeWindowTable) => Occurrence | undefined): ComingFreeze[] =>
    windows.flatMap((window) => {
      const environment_ids = places
        .filter((place) => coversEnvironment(scopeOf(window), place))
        .map(({ id }) => id);
      const occurrence = environment_ids.length === 0 ? undefined : pick(window);
      if (occurrence === undefined) return [];
      return [{ freeze_window_id: window.id, name: window.name, environment_ids, ...timesOf(occurrence) }];
    });
  const next = coming((window) => freezeTimes(window).after(now, AHEAD_DAYS));
  next.sort((left, right) => left.starts_at.localeCompare(right.starts_at));
  return {
    active_freezes: coming((window) => freezeTimes(window).at(now)),
    next_freeze: next[0] ?? null,
  };
}

/** The changes whose time falls into a freeze of their environment; a change that is overdue is due now. */
export function stoppedChanges(
  windows: readonly FreezeWindowTable[],
  { places, changes, now }: { readonly places: Places; readonly changes: OpenChanges; readonly now: number },
): readonly StoppedChange[] {
  return changes.flatMap((change) => {
    const place = places.find(({ id }) => id === change.environment_id);
    const due = Math.max(now, Date.parse(change.execute_at));
    const tags = JSON.parse(change.tags_json) as string[];
    for (const window of windows) {
      const scope = scopeOf(window);
      if (place === undefined || !coversEnvironment(scope, place)) continue;
      if (scope.tags.length > 0 && !scope.tags.some((tag) => tags.includes(tag))) continue;
      const occurrence = freezeTimes(window).at(due);
      if (occurrence === undefined) continue;
      const { id, flag_id, environment_id, execute_at, on_freeze } = change;
      const flag = { flag_id, flag_key: change.key, flag_name: change.name };
      const freeze = { freeze_window_id: window.id, freeze_ends_at: timesOf(occurrence).ends_at };
      return [{ id, ...flag, environment_id, execute_at, on_freeze, ...freeze }];
    }
    return [];
  });
}

function timesOf({ startsAt, endsAt }: Occurrence) {
  const ends_at = endsAt === null ? null : new Date(endsAt).toISOString();
  return { starts_at: new Date(startsAt).toISOString(), ends_at };
}
