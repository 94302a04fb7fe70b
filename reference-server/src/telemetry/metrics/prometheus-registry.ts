import { Counter, collectDefaultMetrics, Gauge, Registry } from 'prom-client';
import type { StreamMaximum } from '../../data-plane/ports.ts';
import { RATE_LIMITS } from '../../http/rate-limits.ts';
import { addDatabaseStateMetrics, createDatabaseMetrics } from './database-metrics.ts';
import { addPendingMetrics, createDeliveryMetrics } from './delivery-metrics.ts';
import { addLeadMetric, addSharedLimitsMetric, createJobMetrics } from './job-metrics.ts';
import type { MetricFamily, MetricsFacts, MetricsRegistry } from './metrics-registry.ts';
import { createOperationMetrics } from './operation-metrics.ts';
import { addRulesetMetrics, createPublicationMetrics } from './ruleset-metrics.ts';
import { createEventMetrics, createStreamMetrics, createUsageMetrics } from './sdk-metrics.ts';

/** Names of prom-client that break Prometheus' rules: they end like counters, but can fall. */
const MISNAMED = [
  'nodejs_active_resources_total',
  'nodejs_active_handles_total',
  'nodejs_active_requests_total',
];

/** Every limit, so that a series exists before a limit first refuses. */
const LIMITS: readonly string[] = [
  ...Object.keys(RATE_LIMITS),
  ...(['streams_per_key', 'streams_per_environment'] satisfies StreamMaximum[]),
  'overload',
];

/** Metrics in the text format of Prometheus. Create one for each process, because it also observes the process. */
export function createPrometheusMetrics({ version, mode }: MetricsFacts): MetricsRegistry {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  for (const name of MISNAMED) registry.removeSingleMetric(name);
  const info = new Gauge({
    registers: [registry],
    name: 'flagsvc_info',
    help: 'Version and deployment mode.',
    labelNames: ['version', 'mode'],
  });
  info.set({ version, mode }, 1);
  const refusals = new Counter({
    registers: [registry],
    name: 'flagsvc_requests_refused_total',
    help: 'Requests that a limit refused, by name of the limit.',
    labelNames: ['limit'],
  });
  for (const limit of LIMITS) refusals.inc({ limit }, 0);
  const countRefusal = (limit: string): void => refusals.inc({ limit });
  return {
    openOperation: createOperationMetrics(registry),
    streams: createStreamMetrics(registry, countRefusal),
    meter: createUsageMetrics(registry),
    countReceipt: createEventMetrics(registry),
    countRefusal,
    ...createDeliveryMetrics(registry),
    countPublication: createPublicationMetrics(registry),
    database: createDatabaseMetrics(registry),
    observeJob: createJobMetrics(registry),
    readState(state) {
      addRulesetMetrics(registry, state);
      addLeadMetric(registry, state);
      addSharedLimitsMetric(registry, state);
      addDatabaseStateMetrics(registry, state);
      addPendingMetrics(registry, state);
    },
    contentType: registry.contentType,
    render: () => registry.metrics(),
    families: () => registry.getMetricsAsJSON() as unknown as Promise<readonly MetricFamily[]>,
  };
}
