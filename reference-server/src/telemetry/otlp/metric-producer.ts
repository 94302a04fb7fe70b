import { type HrTime, ValueType } from '@opentelemetry/api';
import type { Resource } from '@opentelemetry/resources';
import {
  AggregationTemporality,
  type DataPoint,
  DataPointType,
  type Histogram,
  type MetricData,
  type MetricProducer,
} from '@opentelemetry/sdk-metrics';
import type { MetricFamily, MetricsRegistry, MetricValue } from '../metrics/metrics-registry.ts';

/** Exports the values of `metrics` under the same names, so that both ways of export show the same series. */
export function createMetricProducer(
  metrics: Pick<MetricsRegistry, 'families'>,
  { resource, version }: { readonly resource: Resource; readonly version: string },
): MetricProducer {
  const startTime = timeOf(Date.now());
  return {
    async collect() {
      const families = await metrics.families();
      const endTime = timeOf(Date.now());
      return {
        resourceMetrics: {
          resource,
          scopeMetrics: [
            {
              scope: { name: 'flagsvc', version },
              metrics: families.map((family) => toMetricData(family, { startTime, endTime })),
            },
          ],
        },
        errors: [],
      };
    },
  };
}

interface Times {
  readonly startTime: HrTime;
  readonly endTime: HrTime;
}

function toMetricData({ name, help, type, values }: MetricFamily, times: Times): MetricData {
  const common = {
    descriptor: { name, description: help, unit: unitOf(name), valueType: ValueType.DOUBLE },
    aggregationTemporality: AggregationTemporality.CUMULATIVE,
  };
  if (type === 'histogram')
    return { ...common, dataPointType: DataPointType.HISTOGRAM, dataPoints: toHistograms(values, times) };
  const dataPoints = values.map(({ labels, value }) => ({ ...times, attributes: { ...labels }, value }));
  return type === 'counter'
    ? { ...common, dataPointType: DataPointType.SUM, isMonotonic: true, dataPoints }
    : { ...common, dataPointType: DataPointType.GAUGE, dataPoints };
}

/** One point for each set of labels. Prometheus' buckets include all smaller ones; those of OTLP do not. */
function toHistograms(values: readonly MetricValue[], times: Times): DataPoint<Histogram>[] {
  const series = new Map<string, { labels: MetricValue['labels']; parts: MetricValue[] }>();
  for (const value of values) {
    const { le: _bound, ...labels } = value.labels;
    const key = JSON.stringify(Object.entries(labels).sort());
    const one = series.get(key) ?? { labels, parts: [] };
    one.parts.push(value);
    series.set(key, one);
  }
  return [...series.values()].map(({ labels, parts }) => {
    const partOf = (suffix: string): MetricValue[] =>
      parts.filter(({ metricName }) => metricName?.endsWith(suffix));
    const buckets = partOf('_bucket');
    const totals = buckets.map(({ value }) => value);
    return {
      ...times,
      attributes: { ...labels },
      value: {
        buckets: {
          boundaries: buckets.map(({ labels: { le } }) => Number(le)).filter(Number.isFinite),
          counts: totals.map((total, place) => total - (totals[place - 1] ?? 0)),
        },
        sum: partOf('_sum')[0]?.value ?? 0,
        count: partOf('_count')[0]?.value ?? 0,
      },
    };
  });
}

function unitOf(name: string): string {
  if (/_seconds(_|$)/.test(name)) return 's';
  return /_bytes(_|$)/.test(name) ? 'By' : '1';
}

function timeOf(ms: number): HrTime {
  return [Math.floor(ms / 1_000), (ms % 1_000) * 1e6];
}
