/** Settings of the OTLP export, from the standard variables `OTEL_*`. The exporters read addresses and headers themselves. */
export interface OtlpConfig {
  readonly exportsTraces: boolean;
  readonly exportsMetrics: boolean;
  readonly sampler: SamplerConfig;
  /** `OTEL_METRIC_EXPORT_INTERVAL` in milliseconds; default 60,000. */
  readonly metricIntervalMs: number;
  /** `OTEL_BSP_SCHEDULE_DELAY` in milliseconds: the longest time until a span is sent; default 5,000. */
  readonly spanDelayMs: number;
  /** `OTEL_BSP_MAX_QUEUE_SIZE`: spans in memory; further ones are dropped. Default 2,048. */
  readonly spanQueueMax: number;
  /** `OTEL_BSP_MAX_EXPORT_BATCH_SIZE`: spans per request; default 512. */
  readonly spanBatchMax: number;
  /** What is wrong with variables; the defaults apply to them. */
  readonly warnings: readonly string[];
}

/** `OTEL_TRACES_SAMPLER` and its argument. */
export interface SamplerConfig {
  /** Whether the caller's decision in `traceparent` counts, if there is one. */
  readonly isParentBased: boolean;
  /** The share of traces that is recorded, from 0 to 1. */
  readonly ratio: number;
}

type Env = Readonly<Record<string, string | undefined>>;

const SAMPLERS = ['always_on', 'always_off', 'traceidratio'].flatMap((name) => [name, `parentbased_${name}`]);
const SAMPLER_DEFAULT = 'parentbased_always_on';

/** Undefined unless an endpoint is set, `OTEL_SDK_DISABLED` is not `true`, and something is to be exported. */
export function parseOtlpConfig(env: Env): OtlpConfig | undefined {
  const warnings: string[] = [];
  const read = (name: string): string => env[name]?.trim() ?? '';
  if (read('OTEL_SDK_DISABLED').toLowerCase() === 'true') return undefined;
  const exports = (signal: 'TRACES' | 'METRICS'): boolean => {
    const isAddressed =
      read('OTEL_EXPORTER_OTLP_ENDPOINT') !== '' || read(`OTEL_EXPORTER_OTLP_${signal}_ENDPOINT`) !== '';
    const exporter = read(`OTEL_${signal}_EXPORTER`) || 'otlp';
    if (isAddressed && exporter !== 'otlp' && exporter !== 'none')
      warnings.push(`OTEL_${signal}_EXPORTER is "${exporter}"; flagsvc knows otlp and none, and uses otlp.`);
    return isAddressed && exporter !== 'none';
  };
  const [exportsTraces, exportsMetrics] = [exports('TRACES'), exports('METRICS')];
  if (!exportsTraces && !exportsMetrics) return undefined;
  const protocol = read('OTEL_EXPORTER_OTLP_PROTOCOL') || 'http/json';
  if (protocol !== 'http/json')
    warnings.push(
      `OTEL_EXPORTER_OTLP_PROTOCOL is "${protocol}"; flagsvc sends http/json, so the endpoint must accept OTLP over HTTP (usually port 4318).`,
    );
  const count = (name: string, fallback: number): number => {
    const text = read(name);
    if (text === '') return fallback;
    if (/^[1-9]\d{0,8}$/.test(text)) return Number(text);
    warnings.push(`${name} is "${text}", not a number from 1; the default ${fallback} applies.`);
    return fallback;
  };
  return {
    exportsTraces,
    exportsMetrics,
    sampler: readSampler(read, warnings),
    metricIntervalMs: count('OTEL_METRIC_EXPORT_INTERVAL', 60_000),
    spanDelayMs: count('OTEL_BSP_SCHEDULE_DELAY', 5_000),
    spanQueueMax: count('OTEL_BSP_MAX_QUEUE_SIZE', 2_048),
    spanBatchMax: count('OTEL_BSP_MAX_EXPORT_BATCH_SIZE', 512),
    warnings,
  };
}

function readSampler(read: (name: string) => string, warnings: string[]): SamplerConfig {
  let name = read('OTEL_TRACES_SAMPLER') || SAMPLER_DEFAULT;
  if (!SAMPLERS.includes(name)) {
    warnings.push(
      `OTEL_TRACES_SAMPLER is "${name}"; flagsvc knows ${SAMPLERS.join(', ')}, and uses ${SAMPLER_DEFAULT}.`,
    );
    name = SAMPLER_DEFAULT;
  }
  const isParentBased = name.startsWith('parentbased_');
  if (name.endsWith('always_on')) return { isParentBased, ratio: 1 };
  if (name.endsWith('always_off')) return { isParentBased, ratio: 0 };
  const text = read('OTEL_TRACES_SAMPLER_ARG');
  const ratio = text === '' ? 1 : Number(text);
  if (ratio >= 0 && ratio <= 1) return { isParentBased, ratio };
  warnings.push(`OTEL_TRACES_SAMPLER_ARG is "${text}", not a number from 0 to 1; every trace is recorded.`);
  return { isParentBased, ratio: 1 };
}
