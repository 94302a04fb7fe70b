import {
  DEFAULT_SEQUENCE,
  type Sequence,
} from '../../src/control-plane/features/experiments/statistics/confidence-sequence.ts';
import {
  type Arm,
  isComparable,
  isGuardrailBreached,
  judge,
} from '../../src/control-plane/features/experiments/statistics/verdict.ts';
import type { Population } from './populations.ts';
import { createRandom } from './random.ts';
import { createTally } from './tally.ts';

/** How many of the experiments met a condition at any of their looks. */
export interface Outcome {
  readonly runs: number;
  /** The verdict was `winning` or `losing`. */
  readonly decided: number;
  /** The verdict contradicted the sign of the true lift. */
  readonly wrong: number;
  /** The interval of the lift excluded the true lift. */
  readonly missed: number;
  /** The guardrail reported harm. */
  readonly harmed: number;
  /** A fixed 95 % interval, as a test for one look would draw it, excluded 0. */
  readonly naive: number;
  /** The interval of the lift by the delta method, with the width of the sequence, excluded 0. */
  readonly delta: number;
}

export interface Simulation {
  readonly population: Population;
  readonly lift: number;
  readonly runs: number;
  /** Units per arm at the last look. */
  readonly units: number;
  readonly sequence?: Sequence;
  readonly seed?: number;
}

const LOOKS = 100;
const FIRST_LOOK = 100;

/** Plays experiments with two equal arms that people look at 100 times, from 100 units per arm on. */
export function simulate({ population, lift, runs, units, sequence, seed = 1 }: Simulation): Outcome {
  const random = createRandom(seed);
  const looks = Array.from({ length: LOOKS }, (_, look) =>
    Math.round(FIRST_LOOK * (units / FIRST_LOOK) ** (look / (LOOKS - 1))),
  );
  const counts = { decided: 0, wrong: 0, missed: 0, harmed: 0, naive: 0, delta: 0 };
  for (let run = 0; run < runs; run++) {
    const control = createTally(population, 0);
    const treatment = createTally(population, lift);
    const seen = { decided: false, wrong: false, missed: false, harmed: false, naive: false, delta: false };
    for (const look of looks) {
      control.fill(random, look);
      treatment.fill(random, look);
      note(seen, { control: control.arm(), treatment: treatment.arm() }, { lift, sequence });
    }
    for (const name of Object.keys(counts) as (keyof typeof counts)[]) if (seen[name]) counts[name]++;
  }
  return { runs, ...counts };
}

type Seen = { -readonly [Name in keyof Omit<Outcome, 'runs'>]: boolean };

/** Notes what one look shows. */
function note(
  seen: Seen,
  { control, treatment }: { control: Arm; treatment: Arm },
  { lift, sequence = DEFAULT_SEQUENCE }: { lift: number; sequence: Sequence | undefined },
): void {
  if (!isComparable(control, treatment)) return;
  const { verdict, comparison } = judge(control, treatment, { direction: 'increase', sequence });
  if (comparison === undefined) return;
  const isWin = verdict === 'winning';
  const isLoss = verdict === 'losing';
  if (isWin || isLoss) seen.decided = true;
  if ((isWin && lift <= 0) || (isLoss && lift >= 0)) seen.wrong = true;
  if (comparison.liftInterval.low > lift || comparison.liftInterval.high < lift) seen.missed = true;
  if (isGuardrailBreached(control, treatment, { direction: 'increase', sequence })) seen.harmed = true;

  const [a, b] = [control.estimate, treatment.estimate];
  const error = Math.sqrt(a.variance + b.variance);
  if (Math.abs(comparison.difference) > 1.959964 * error) seen.naive = true;
  const deltaError = Math.sqrt(b.variance / a.value ** 2 + (a.variance * b.value ** 2) / a.value ** 4);
  const width = (comparison.differenceInterval.high - comparison.difference) / error;
  if (Math.abs(comparison.lift) > width * deltaError) seen.delta = true;
}

/** The upper end of a one-sided 99 % interval for a share (Wilson). */
export function upperBound(count: number, runs: number): number {
  const z = 2.326348;
  const share = count / runs;
  const middle = share + z ** 2 / (2 * runs);
  const spread = z * Math.sqrt((share * (1 - share)) / runs + z ** 2 / (4 * runs ** 2));
  return (middle + spread) / (1 + z ** 2 / runs);
}
