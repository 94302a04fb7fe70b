import { performance } from 'node:perf_hooks';

/** The two clocks to compare, both in milliseconds. */
export interface WorkClocks {
  readonly wallMs: () => number;
  readonly processorMs: () => number;
}

/** How long the measurement computes: long enough for the scheduler of a busy machine to interrupt it several times. */
const SPIN_MS = 20;

const ownClocks: WorkClocks = {
  wallMs: () => performance.now(),
  processorMs: () => {
    const { user, system } = process.cpuUsage();
    return (user + system) / 1_000;
  },
};

/**
 * How many times longer work takes now than on a quiet machine: 1 when this process has a core to itself, 4 when it gets
 * a quarter of one. Multiply a limit in real time by this before you call something late.
 */
export const measureSlowdown = ({ wallMs, processorMs }: WorkClocks = ownClocks): number => {
  const [wall, processor] = [wallMs(), processorMs()];
  let spent = 0;
  while (spent < SPIN_MS) spent = processorMs() - processor;
  return Math.max(1, (wallMs() - wall) / spent);
};

/**
 * A deadline that is long enough on a quiet machine. Before it reports that time is up, it measures the machine and
 * extends the deadline on a busy one.
 */
export const deadline = (ms: number): (() => boolean) => {
  const started = performance.now();
  let limit: number | undefined;
  return () => {
    const spent = performance.now() - started;
    if (spent <= (limit ?? ms)) return false;
    limit ??= ms * measureSlowdown();
    return spent > limit;
  };
};
