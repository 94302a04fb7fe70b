import { HOUR_MS } from '../../../lib/durations.ts';
import type { EventStore } from '../events/event-store.ts';

/** Hours in a series; the last one is the current hour. */
export const HOURS = 24;

/** How often SDKs reported evaluations of a flag in the last 24 hours, in all environments. */
export interface EvaluationHours {
  readonly total: number;
  /** One count per hour, oldest first. */
  readonly by_hour: readonly number[];
}

export const NO_EVALUATIONS: EvaluationHours = { total: 0, by_hour: Array(HOURS).fill(0) as number[] };

/** The counts of the given flags by flag key; flags without evaluations are left out. */
export async function countEvaluations(
  { countByHour }: Pick<EventStore, 'countByHour'>,
  {
    now,
    ...of
  }: {
    readonly organizationId: string;
    readonly environmentIds: readonly string[];
    readonly flagKeys: readonly string[];
    readonly now: number;
  },
): Promise<ReadonlyMap<string, EvaluationHours>> {
  const first = now - (now % HOUR_MS) - (HOURS - 1) * HOUR_MS;
  const series = new Map<string, { total: number; by_hour: number[] }>();
  for (const { flag_key, hour, count } of await countByHour({
    ...of,
    since: new Date(first).toISOString(),
  })) {
    const own = series.get(flag_key) ?? { total: 0, by_hour: Array(HOURS).fill(0) as number[] };
    series.set(flag_key, own);
    // The clock of another node can be ahead.
    const index = Math.min(HOURS - 1, (Date.parse(hour) - first) / HOUR_MS);
    own.by_hour[index]! += count;
    own.total += count;
  }
  return series;
}
