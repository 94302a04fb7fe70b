import type { Histogram, MetricValueWithName, Registry } from 'prom-client';

/** Records one value. */
export type Observe = (value: number) => void;

interface Cell {
  readonly labels: Readonly<Record<string, string>>;
  /** Counts by bucket; the last one is for values above all bounds. */
  readonly counts: Float64Array;
  sum: number;
}

/** A histogram whose label values are resolved in advance, so that recording a value costs a few nanoseconds. */
export interface BatchedHistogram {
  /** Opens the series with these labels, or returns the existing one. It appears once it has a value. */
  open(labels: Readonly<Record<string, string>>): Observe;
}

export interface HistogramOptions {
  readonly name: string;
  readonly help: string;
  /** Upper bounds, ascending. */
  readonly buckets: readonly number[];
  readonly registry: Registry;
}

/** prom-client looks up the labels of each value; this takes ten times as long as counting the value. */
export function createBatchedHistogram(options: HistogramOptions): BatchedHistogram {
  const { name, help, buckets, registry } = options;
  const cells = new Map<string, Cell>();
  registry.registerMetric({
    name,
    help,
    type: 'histogram',
    aggregator: 'sum',
    get: async () => ({
      name,
      help,
      type: 'histogram',
      aggregator: 'sum',
      values: [...cells.values()].flatMap((cell) => valuesOf(cell, name, buckets)),
    }),
    reset: () => cells.clear(),
  } as unknown as Histogram);
  return {
    open(labels) {
      const key = JSON.stringify(labels);
      const cell = cells.get(key) ?? { labels, counts: new Float64Array(buckets.length + 1), sum: 0 };
      cells.set(key, cell);
      return (value) => {
        let place = 0;
        while (place < buckets.length && value > buckets[place]!) place += 1;
        cell.counts[place]! += 1;
        cell.sum += value;
      };
    },
  };
}

function valuesOf(
  { labels, counts, sum }: Cell,
  name: string,
  buckets: readonly number[],
): MetricValueWithName<string>[] {
  let total = 0;
  const bucketValues = [...buckets, '+Inf'].map((bound, place) => {
    total += counts[place]!;
    return { metricName: `${name}_bucket`, labels: { le: bound, ...labels }, value: total };
  });
  if (total === 0) return [];
  return [
    ...bucketValues,
    { metricName: `${name}_sum`, labels, value: sum },
    { metricName: `${name}_count`, labels, value: total },
  ] as MetricValueWithName<string>[];
}
