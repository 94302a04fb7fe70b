import { DiagLogLevel, diag } from '@opentelemetry/api';
import { W3CTraceContextPropagator } from '@opentelemetry/core';
import { OTLPMetricExporter } from '@opentelemetry/exporter-metrics-otlp-http';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import {
  defaultResource,
  detectResources,
  envDetector,
  resourceFromAttributes,
} from '@opentelemetry/resources';
import { MeterProvider, PeriodicExportingMetricReader } from '@opentelemetry/sdk-metrics';
import {
  AlwaysOffSampler,
  AlwaysOnSampler,
  BatchSpanProcessor,
  ParentBasedSampler,
  type Sampler,
  TraceIdRatioBasedSampler,
  TracerProvider,
} from '@opentelemetry/sdk-trace';
import type { MetricsRegistry } from '../metrics/metrics-registry.ts';
import { createOtelTracing, type OtelTracingOptions } from '../tracing/otel-tracing.ts';
import type { Tracing } from '../tracing/tracing.ts';
import { createMetricProducer } from './metric-producer.ts';
import type { OtlpConfig, SamplerConfig } from './otlp-config.ts';

/** At a stop, the time to send what is left. An exporter alone would try for up to ten seconds. */
const CLOSE_PATIENCE_MS = 3_000;
/** A collector that cannot be reached would otherwise fill the log. */
const FAULT_PAUSE_MS = 60_000;

export interface OtlpOptions {
  readonly version: string;
  readonly databaseSystem: OtelTracingOptions['databaseSystem'];
  /** Receives failures of the export, at most one a minute. */
  readonly onFault: (message: string) => void;
}

/** A running export by OTLP over HTTP. */
export interface Otlp {
  /** Absent: traces are not exported. */
  readonly tracing?: Tracing;
  /** Starts to export the metrics, if they are to be exported. Call it once. */
  exportMetrics(metrics: MetricsRegistry | undefined): void;
  /** Sends what is left, for at most three seconds, and stops. Never rejects. */
  close(): Promise<void>;
}

/** Starts the export. Loading this module loads OpenTelemetry's packages. */
export function startOtlp(config: OtlpConfig, options: OtlpOptions): Otlp {
  const { version, databaseSystem, onFault } = options;
  reportFaults(onFault);
  const resource = defaultResource()
    .merge(resourceFromAttributes({ 'service.name': 'flagsvc', 'service.version': version }))
    .merge(detectResources({ detectors: [envDetector] }));
  const closers: (() => Promise<void>)[] = [];
  let tracing: Tracing | undefined;
  if (config.exportsTraces) {
    const provider = new TracerProvider({
      resource,
      sampler: createSampler(config.sampler),
      spanProcessors: [
        new BatchSpanProcessor({
          exporter: new OTLPTraceExporter(),
          scheduledDelayMillis: config.spanDelayMs,
          maxQueueSize: config.spanQueueMax,
          maxExportBatchSize: Math.min(config.spanBatchMax, config.spanQueueMax),
        }),
      ],
    });
    closers.push(() => provider.shutdown());
    const tracer = provider.getTracer('flagsvc', version);
    tracing = createOtelTracing({ tracer, databaseSystem, propagator: new W3CTraceContextPropagator() });
  }
  return {
    ...(tracing !== undefined && { tracing }),
    exportMetrics(metrics) {
      if (!config.exportsMetrics || metrics === undefined) return;
      const reader = new PeriodicExportingMetricReader({
        exporter: new OTLPMetricExporter(),
        exportIntervalMillis: config.metricIntervalMs,
        exportTimeoutMillis: Math.min(30_000, config.metricIntervalMs),
        metricProducers: [createMetricProducer(metrics, { resource, version })],
      });
      const provider = new MeterProvider({ resource, readers: [reader] });
      closers.push(() => provider.shutdown());
    },
    async close() {
      let timer: NodeJS.Timeout | undefined;
      const late = new Promise<void>((resolve) => {
        timer = setTimeout(resolve, CLOSE_PATIENCE_MS);
      });
      await Promise.race([late, Promise.allSettled(closers.map((close) => close()))]);
      clearTimeout(timer);
    },
  };
}

function createSampler({ isParentBased, ratio }: SamplerConfig): Sampler {
  const root =
    ratio === 1
      ? new AlwaysOnSampler()
      : ratio === 0
        ? new AlwaysOffSampler()
        : new TraceIdRatioBasedSampler(ratio);
  return isParentBased ? new ParentBasedSampler({ root }) : root;
}

function reportFaults(onFault: (message: string) => void): void {
  let reportedAt = Number.NEGATIVE_INFINITY;
  const report = (message: string): void => {
    if (performance.now() - reportedAt < FAULT_PAUSE_MS) return;
    reportedAt = performance.now();
    onFault(message);
  };
  const nothing = (): void => {};
  const logger = { error: report, warn: report, info: nothing, debug: nothing, verbose: nothing };
  diag.setLogger(logger, { logLevel: DiagLogLevel.WARN, suppressOverrideMessage: true });
}
