import type { FreezeWindowTable } from '../../../storage/tables.ts';
import { scopeOf } from './freeze-plans.ts';
import type { FreezeCalendarRecord } from './freeze-schemas.ts';
import { freezeTimes } from './freeze-times.ts';

/** The most occurrences that one answer has. */
const OCCURRENCES_MAX = 1_000;

/** The occurrences of windows in a period, in milliseconds since 1970. */
export function toCalendar(
  rows: readonly FreezeWindowTable[],
  { from, to }: { readonly from: number; readonly to: number },
): FreezeCalendarRecord {
  const found = rows.flatMap((row) =>
    [...freezeTimes(row).between(from, to)].map(({ startsAt, endsAt }) => ({ row, startsAt, endsAt })),
  );
  found.sort((left, right) => left.startsAt - right.startsAt);
  return {
    occurrences: found.slice(0, OCCURRENCES_MAX).map(({ row, startsAt, endsAt }) => ({
      freeze_window_id: row.id,
      name: row.name,
      scope: scopeOf(row) as FreezeCalendarRecord['occurrences'][number]['scope'],
      starts_at: new Date(startsAt).toISOString(),
      ends_at: endsAt === null ? null : new Date(endsAt).toISOString(),
    })),
    is_complete: found.length <= OCCURRENCES_MAX,
  };
}
