import { expect, test } from 'vitest';
import { parseOtlpConfig } from './otlp-config.ts';

const ENDPOINT = { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://collector:4318' };

test.each<[string, Record<string, string>]>([
  ['no endpoint is set', { OTEL_SERVICE_NAME: 'flags', OTEL_TRACES_EXPORTER: 'otlp' }],
  ['the endpoint is empty', { OTEL_EXPORTER_OTLP_ENDPOINT: ' ' }],
  ['the SDK is disabled', { ...ENDPOINT, OTEL_SDK_DISABLED: 'TRUE' }],
  ['no signal is exported', { ...ENDPOINT, OTEL_TRACES_EXPORTER: 'none', OTEL_METRICS_EXPORTER: 'none' }],
])('nothing is exported if %s', (_why, env) => {
  expect(parseOtlpConfig(env)).toBeUndefined();
});

test('an endpoint exports traces and metrics with the defaults of the specification', () => {
  expect(parseOtlpConfig(ENDPOINT)).toEqual({
    exportsTraces: true,
    exportsMetrics: true,
    sampler: { isParentBased: true, ratio: 1 },
    metricIntervalMs: 60_000,
    spanDelayMs: 5_000,
    spanQueueMax: 2_048,
    spanBatchMax: 512,
    warnings: [],
  });
});

test('each signal can have an endpoint of its own, and can be switched off', () => {
  const traces = { OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: 'http://collector:4318/v1/traces' };
  expect(parseOtlpConfig(traces)).toMatchObject({ exportsTraces: true, exportsMetrics: false });
  expect(parseOtlpConfig({ ...ENDPOINT, OTEL_TRACES_EXPORTER: 'none' })).toMatchObject({
    exportsTraces: false,
    exportsMetrics: true,
  });
});

test.each<[string, string, { isParentBased: boolean; ratio: number }]>([
  ['always_on', '', { isParentBased: false, ratio: 1 }],
  ['always_off', '', { isParentBased: false, ratio: 0 }],
  ['traceidratio', '0.25', { isParentBased: false, ratio: 0.25 }],
  ['traceidratio', '', { isParentBased: false, ratio: 1 }],
  ['parentbased_always_on', '', { isParentBased: true, ratio: 1 }],
  ['parentbased_always_off', '0.5', { isParentBased: true, ratio: 0 }],
  ['parentbased_traceidratio', '0', { isParentBased: true, ratio: 0 }],
])('the sampler %s with the argument "%s" is known', (name, argument, sampler) => {
  const env = { ...ENDPOINT, OTEL_TRACES_SAMPLER: name, OTEL_TRACES_SAMPLER_ARG: argument };
  expect(parseOtlpConfig(env)).toMatchObject({ sampler, warnings: [] });
});

test.each<[string, string]>([
  ['OTEL_TRACES_SAMPLER', 'jaeger_remote'],
  ['OTEL_TRACES_EXPORTER', 'zipkin'],
  ['OTEL_METRICS_EXPORTER', 'prometheus'],
  ['OTEL_EXPORTER_OTLP_PROTOCOL', 'grpc'],
  ['OTEL_METRIC_EXPORT_INTERVAL', '0'],
  ['OTEL_BSP_SCHEDULE_DELAY', '5s'],
  ['OTEL_BSP_MAX_QUEUE_SIZE', '-1'],
])('a value of %s that is not supported causes a warning, and the default applies', (name, value) => {
  const { warnings, ...rest } = parseOtlpConfig({ ...ENDPOINT, [name]: value })!;
  const { warnings: _none, ...defaults } = parseOtlpConfig(ENDPOINT)!;
  expect(rest).toEqual(defaults);
  expect(warnings).toEqual([expect.stringContaining(`${name} is "${value}"`)]);
});

test.each(['2', '-0.1', 'half'])('the argument %s of a sampler causes a warning', (argument) => {
  const sampler = { OTEL_TRACES_SAMPLER: 'traceidratio', OTEL_TRACES_SAMPLER_ARG: argument };
  const { warnings, sampler: read } = parseOtlpConfig({ ...ENDPOINT, ...sampler })!;
  expect(read).toEqual({ isParentBased: false, ratio: 1 });
  expect(warnings).toEqual([expect.stringContaining(`OTEL_TRACES_SAMPLER_ARG is "${argument}"`)]);
});
