/** Where a vertical axis ends, and the numbers on it. */
export interface Scale {
  readonly top: number;
  readonly ticks: readonly number[];
}

const TICKS = 4;

/** An axis from 0 with at most five round, whole numbers that has room for all counts. */
export function scaleOf(counts: readonly number[]): Scale {
  const most = counts.reduce((max, count) => Math.max(max, count), 1);
  const rough = most / TICKS;
  const power = 10 ** Math.floor(Math.log10(rough));
  const factor = [1, 2, 2.5, 5, 10].find((one) => one * power >= rough) ?? 10;
  const step = Math.max(1, Math.ceil(factor * power));
  const count = Math.ceil(most / step);
  return { top: count * step, ticks: Array.from({ length: count + 1 }, (_, index) => index * step) };
}
