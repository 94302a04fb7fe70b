import { performance } from 'node:perf_hooks';

/** The two clocks that are compared, both in milliseconds. */
export interface WorkClocks {
  readonly wallMs: () => number;
  readonly processorMs: () => number;
}

/** Long enough that the scheduler interrupts it several times on a busy machine. */
const SPIN_MS = 20;

const ownClocks: WorkClocks = {
  wallMs: () => performance.now(),
  processorMs: () => {
    const { user, system } = process.cpuUsage();
    return (user + system) / 1_000;
  },
};

/**
 * How many times longer than on a quiet machine work takes here and now: 1 when this process gets a core of its own, 4
 * when it gets a quarter of one. A limit in real time is multiplied by it before anyone is found late.
 */
export const measureSlowdown = ({ wallMs, processorMs }: WorkClocks = ownClocks): number => {
  const [wall, processor] = [wallMs(), processorMs()];
  let spent = 0;
  while (spent < SPIN_MS) spent = processorMs() - processor;
  return Math.max(1, (wallMs() - wall) / spent);
};

/**
 * Says when time is up that is enough on a quiet machine. Before it does, it measures the machine: a busy one gets the
 * multiple.
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
