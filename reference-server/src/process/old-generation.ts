import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/** It may grow by so many percent of what is in use before V8 collects. */
const GROWTH_PERCENT = 40;

/**
 * Keeps V8's old generation near to what is in use. By itself V8 first lets it grow to a multiple of that, and looks
 * for the first time when it is full (docs/performance.md). Collects once: call it when the start is over.
 */
export function keepOldGenerationSmall(): void {
  setFlagsFromString(`--heap-growing-percent=${GROWTH_PERCENT}`);
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;
  setFlagsFromString('--no-expose-gc');
  collect();
}
