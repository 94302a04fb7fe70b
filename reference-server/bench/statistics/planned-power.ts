import {
  estimateMean,
  estimateRatio,
} from '../../src/control-plane/features/experiments/statistics/estimate.ts';
import { addPair, NO_PAIRS } from '../../src/control-plane/features/experiments/statistics/moments.ts';
import { planTunedUnits } from '../../src/control-plane/features/experiments/statistics/sample-size.ts';
import type { Population } from './populations.ts';
import { createRandom } from './random.ts';
import { simulate } from './simulate.ts';

const PILOT_UNITS = 100_000;

/** A plan, and how often experiments of its size found the difference. */
export interface PlannedPower {
  readonly unitsPerArm: number;
  readonly found: number;
  readonly runs: number;
}

/** Plans an experiment from a pilot without a change, then plays it with a change of `lift`. */
export function planAndPlay(population: Population, lift: number, runs: number): PlannedPower {
  const { mean, unitVariance } = pilot(population);
  const sequence = { alpha: 0.05 };
  const units = planTunedUnits({ mean, unitVariance, lift, shares: [0.5, 0.5], power: 0.9 }, sequence.alpha);
  if (units === undefined) throw new Error(`no size suffices for ${population.name}`);
  const unitsPerArm = Math.ceil(units / 2);
  const tuned = { alpha: sequence.alpha, tuningUnits: units };
  const { decided } = simulate({ population, lift, runs, units: unitsPerArm, sequence: tuned, seed: 3 });
  return { unitsPerArm, found: decided, runs };
}

function pilot(population: Population): { mean: number; unitVariance: number } {
  const random = createRandom(2);
  const draw = population.draw(0);
  const unit = { numerator: 0, denominator: 1 };
  let pair = NO_PAIRS;
  for (let drawn = 0; drawn < PILOT_UNITS; drawn++) {
    draw(random, unit);
    pair = addPair(pair, unit.numerator, unit.denominator);
  }
  const isRatio = population.type === 'ratio' || population.type === 'mean';
  const { value, variance } = isRatio ? estimateRatio(pair) : estimateMean(pair.numerator);
  return { mean: value, unitVariance: variance * PILOT_UNITS };
}
