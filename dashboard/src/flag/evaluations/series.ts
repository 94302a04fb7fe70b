const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

/** How far back the chart goes. */
export type Range = '24h' | '7d' | '30d';
export const RANGES: readonly Range[] = ['24h', '7d', '30d'];

/** The period of one point, and how many of them a range has. */
const STEPS: Readonly<Record<Range, { readonly ms: number; readonly count: number }>> = {
  '24h': { ms: HOUR_MS, count: 24 },
  '7d': { ms: DAY_MS, count: 7 },
  '30d': { ms: DAY_MS, count: 30 },
};

export interface Count {
  /** A UTC day, or the start of an hour. */
  readonly date: string;
  readonly variation_key: string | null;
  readonly count: number;
}

/** The counts of one variation; undefined is "no variation was served". */
export interface Series {
  readonly key: string | undefined;
  readonly counts: readonly number[];
  readonly total: number;
}

export interface Evaluations {
  /** Starts of the periods, in milliseconds. The last one is the present period. */
  readonly times: readonly number[];
  readonly series: readonly Series[];
  readonly total: number;
}

/**
 * Counts as one line for each variation, with 0 where nothing was reported. The flag's variations come first and are
 * there even without counts; then variations that were removed, then "no variation".
 */
export function evaluationsOf(
  counts: readonly Count[],
  { range, variations, nowMs }: { range: Range; variations: readonly string[]; nowMs: number },
): Evaluations {
  const { ms, count } = STEPS[range];
  const first = nowMs - (nowMs % ms) - (count - 1) * ms;
  const times = Array.from({ length: count }, (_, index) => first + index * ms);
  const lines = new Map<string | undefined, number[]>();
  for (const key of variations) lines.set(key, new Array<number>(count).fill(0));
  for (const one of counts) {
    // The clock of another node can be ahead.
    const place = Math.min(count - 1, Math.floor((Date.parse(one.date) - first) / ms));
    if (place < 0) continue;
    const key = one.variation_key ?? undefined;
    const line = lines.get(key) ?? new Array<number>(count).fill(0);
    line[place]! += one.count;
    lines.set(key, line);
  }
  const rank = (key: string | undefined) => (key === undefined ? 2 : variations.includes(key) ? 0 : 1);
  const series = [...lines]
    .map(([key, line]): Series => ({ key, counts: line, total: line.reduce((sum, n) => sum + n, 0) }))
    .toSorted((left, right) => rank(left.key) - rank(right.key));
  return { times, series, total: series.reduce((sum, { total }) => sum + total, 0) };
}
