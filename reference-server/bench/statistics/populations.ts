import type { Random } from './random.ts';

/** Writes one unit's pair of numbers; metrics that are no ratio leave the denominator at 1. */
export type Draw = (random: Random, unit: { numerator: number; denominator: number }) => void;

/** Units whose metric has a known mean, which `lift` raises: 0.2 is 20 % more. */
export interface Population {
  readonly name: string;
  /** The metric type of the API. */
  readonly type: 'conversion' | 'retention' | 'count' | 'sum' | 'mean' | 'ratio';
  draw(lift: number): Draw;
}

const shareOf = (share: number) => (lift: number) => {
  const raised = share * (1 + lift);
  const draw: Draw = (random, unit) => {
    unit.numerator = random.uniform() < raised ? 1 : 0;
    unit.denominator = 1;
  };
  return draw;
};

const purchasesOf = (buyers: number) => (lift: number) => {
  const draw: Draw = (random, unit) => {
    unit.numerator = random.uniform() < buyers ? random.lognormal(1) * (1 + lift) : 0;
    unit.denominator = 1;
  };
  return draw;
};

export const POPULATIONS: readonly Population[] = [
  { name: 'conversion, 10 %', type: 'conversion', draw: shareOf(0.1) },
  { name: 'conversion, 2 %', type: 'conversion', draw: shareOf(0.02) },
  { name: 'retention, 30 %', type: 'retention', draw: shareOf(0.3) },
  {
    name: 'count, Poisson, mean 2',
    type: 'count',
    draw: (lift) => (random, unit) => {
      unit.numerator = random.poisson(2 * (1 + lift));
      unit.denominator = 1;
    },
  },
  { name: 'sum, lognormal, all units', type: 'sum', draw: purchasesOf(1) },
  { name: 'sum, lognormal, 30 % buy', type: 'sum', draw: purchasesOf(0.3) },
  { name: 'sum, lognormal, 5 % buy', type: 'sum', draw: purchasesOf(0.05) },
  {
    // Amounts of one unit resemble each other, so the amounts are not independent.
    name: 'mean of amounts, lognormal',
    type: 'mean',
    draw: (lift) => (random, unit) => {
      const usual = random.lognormal(0.7) * (1 + lift);
      unit.denominator = 1 + random.poisson(1);
      unit.numerator = 0;
      for (let amount = 0; amount < unit.denominator; amount++) {
        unit.numerator += usual * random.lognormal(0.7);
      }
    },
  },
  {
    name: 'ratio, clicks per view',
    type: 'ratio',
    draw: (lift) => (random, unit) => {
      const rate = 0.2 * random.uniform() * (1 + lift);
      unit.denominator = 1 + random.poisson(3);
      unit.numerator = 0;
      for (let view = 0; view < unit.denominator; view++) if (random.uniform() < rate) unit.numerator++;
    },
  },
];
