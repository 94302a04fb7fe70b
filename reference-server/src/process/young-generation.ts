import { PerformanceObserver } from 'node:perf_hooks';
import { getHeapSpaceStatistics, setFlagsFromString } from 'node:v8';

/** V8 begins with 1 MiB, enlarges it by a factor, and says twice what it may fill before it collects. */
const BYTES = 8 * 2 ** 20;
const FACTOR = 4;
/** So many collections are load: at rest they take minutes. */
const COLLECTIONS = 100;

/**
 * Keeps V8's young generation at 4 MiB. Under load it would grow to some 50 MB, which buys this server nothing
 * measurable; with 1 MiB every tenth of its time goes into collections (docs/performance.md). Call it first.
 */
export function keepYoungGenerationSmall(): void {
  enlarge();
  // Whoever rests is given less by V8, and would be left with it.
  let collections = 0;
  new PerformanceObserver((list) => {
    collections += list.getEntries().length;
    if (collections < COLLECTIONS) return;
    collections = 0;
    enlarge();
  }).observe({ entryTypes: ['gc'] });
}

/** V8 enlarges it when as much has outlived collections as it holds: so that happens here, once, and then no more. */
function enlarge(): void {
  setFlagsFromString(`--semi-space-growth-factor=${FACTOR}`);
  const survivors: unknown[] = [];
  while (youngBytes() < BYTES && survivors.length < 1_000) survivors.push(new Array(1_000).fill(0));
  setFlagsFromString('--semi-space-growth-factor=1');
}

function youngBytes(): number {
  return getHeapSpaceStatistics().find(({ space_name }) => space_name === 'new_space')?.space_size ?? BYTES;
}
