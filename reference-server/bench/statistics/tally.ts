import {
  estimateMean,
  estimateRatio,
} from '../../src/control-plane/features/experiments/statistics/estimate.ts';
import type { PairMoments } from '../../src/control-plane/features/experiments/statistics/moments.ts';
import type { Arm } from '../../src/control-plane/features/experiments/statistics/verdict.ts';
import type { Draw, Population } from './populations.ts';
import type { Random } from './random.ts';

/** Collects the units of one arm. Plain sums are fast, and exact enough for values around 1. */
export interface Tally {
  /** Draws units until the arm has `units`. */
  fill(random: Random, units: number): void;
  arm(): Arm;
}

export function createTally(population: Population, lift: number): Tally {
  const draw: Draw = population.draw(lift);
  const unit = { numerator: 0, denominator: 1 };
  const isRatio = population.type === 'ratio' || population.type === 'mean';
  let [units, responses, x, y, xx, yy, xy] = [0, 0, 0, 0, 0, 0, 0];

  function moments(): PairMoments {
    const [mean, below] = [x / units, y / units];
    return {
      numerator: { units, mean, deviations: xx - x * mean },
      denominator: { units, mean: below, deviations: yy - y * below },
      products: xy - x * below,
    };
  }

  return {
    fill(random, wanted) {
      for (; units < wanted; units++) {
        draw(random, unit);
        const { numerator, denominator } = unit;
        if (numerator !== 0) responses++;
        x += numerator;
        xx += numerator * numerator;
        y += denominator;
        yy += denominator * denominator;
        xy += numerator * denominator;
      }
    },
    arm() {
      const pair = moments();
      return { estimate: isRatio ? estimateRatio(pair) : estimateMean(pair.numerator), responses };
    },
  };
}
