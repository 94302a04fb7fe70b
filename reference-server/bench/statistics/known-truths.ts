import { DEFAULT_SEQUENCE } from '../../src/control-plane/features/experiments/statistics/confidence-sequence.ts';
import { judge, type Verdict } from '../../src/control-plane/features/experiments/statistics/verdict.ts';
import { POPULATIONS } from './populations.ts';
import { createRandom } from './random.ts';
import { createTally } from './tally.ts';

/** Lifts of the synthetic experiments, none more often than any other. */
const LIFTS = [0, 0, 0, 0, 0, 0, 0, 0, 0.1, 0.1, 0.1, 0.2, 0.2, 0.3, -0.05, -0.1, -0.1, -0.2, -0.2, -0.3];
const UNITS = 20_000;

export interface KnownTruth {
  readonly population: string;
  readonly lift: number;
  readonly estimate: number;
  readonly low: number;
  readonly high: number;
  readonly verdict: Verdict;
  /** The verdict of the interval that GrowthBook publishes: the same sequence on the delta method's error. */
  readonly peerVerdict: Verdict;
}

/** Twenty experiments with known truth, each looked at once, after 20,000 units per arm. */
export function playKnownTruths(seed: number): KnownTruth[] {
  const random = createRandom(seed);
  return LIFTS.map((lift, index) => {
    const population = POPULATIONS[index % POPULATIONS.length]!;
    const [control, treatment] = [createTally(population, 0), createTally(population, lift)];
    control.fill(random, UNITS);
    treatment.fill(random, UNITS);
    const [a, b] = [control.arm(), treatment.arm()];
    const { verdict, comparison } = judge(a, b, { direction: 'increase', sequence: DEFAULT_SEQUENCE });
    if (comparison === undefined) throw new Error(`${population.name} has too few responses`);
    const { value, variance } = a.estimate;
    const error = Math.sqrt(variance + b.estimate.variance);
    const width = (comparison.differenceInterval.high - comparison.difference) / error;
    const peerError = Math.sqrt(
      b.estimate.variance / value ** 2 + (variance * b.estimate.value ** 2) / value ** 4,
    );
    return {
      population: population.name,
      lift,
      estimate: comparison.lift,
      ...comparison.liftInterval,
      verdict,
      peerVerdict:
        Math.abs(comparison.lift) <= width * peerError
          ? 'inconclusive'
          : comparison.lift > 0
            ? 'winning'
            : 'losing',
    };
  });
}

/** Whether a verdict contradicts the truth; `inconclusive` never does. */
export function isWrong(verdict: Verdict, lift: number): boolean {
  return (verdict === 'winning' && lift <= 0) || (verdict === 'losing' && lift >= 0);
}
