import { checkSampleRatio } from '../../src/control-plane/features/experiments/statistics/sample-ratio.ts';
import { createRandom } from './random.ts';

const LOOKS = 100;

/**
 * In how many experiments with planned halves the alarm was raised at any of 100 looks, where the control really gets
 * `share` of the units.
 */
export function countAlarms(share: number, runs: number, units: number): number {
  const random = createRandom(Math.round(share * 1000));
  let alarms = 0;
  for (let run = 0; run < runs; run++) {
    const counts: [number, number] = [0, 0];
    for (let look = 1; look <= LOOKS; look++) {
      for (const until = (units / LOOKS) * look; counts[0] + counts[1] < until; ) {
        counts[random.uniform() < share ? 0 : 1]++;
      }
      if (!checkSampleRatio(counts, [0.5, 0.5]).ok) {
        alarms++;
        break;
      }
    }
  }
  return alarms;
}
