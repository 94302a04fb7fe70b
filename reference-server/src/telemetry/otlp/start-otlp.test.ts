import Fastify from 'fastify';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { type Collector, startCollector } from '../../../test/telemetry/collector.ts';
import { parseOtlpConfig } from './otlp-config.ts';
import { type Otlp, startOtlp } from './start-otlp.ts';

const TRACE = '0af7651916cd43dd8448eb211c80319c';

let collector: Collector;
beforeEach(async () => {
  collector = await startCollector();
});
afterEach(async () => {
  vi.unstubAllEnvs();
  await collector.close();
});

/** Starts the export with these variables, which the exporters of OpenTelemetry read themselves. */
function start(env: Readonly<Record<string, string>>, onFault: (message: string) => void = () => {}): Otlp {
  const all = { OTEL_METRICS_EXPORTER: 'none', OTEL_EXPORTER_OTLP_ENDPOINT: collector.url, ...env };
  for (const [name, value] of Object.entries(all)) vi.stubEnv(name, value);
  return startOtlp(parseOtlpConfig(all)!, { version: '0.0.0', databaseSystem: 'sqlite', onFault });
}

/** Sends a traced request whose caller decided whether to sample: `01` or `00`. */
async function request({ tracing }: Otlp, flags: string): Promise<void> {
  const app = Fastify();
  tracing!.traceRequests(app);
  app.get('/', async () => '');
  await app.inject({ url: '/', headers: { traceparent: `00-${TRACE}-b7ad6b7169203331-${flags}` } });
  await app.close();
}

test.each<[sampler: string, flags: string, spans: number]>([
  ['parentbased_always_on', '01', 1],
  ['parentbased_always_on', '00', 0],
  ['always_off', '01', 0],
  ['always_on', '00', 1],
])('the sampler %s with the flags %s of the caller records %i spans', async (sampler, flags, spans) => {
  const otlp = start({ OTEL_TRACES_SAMPLER: sampler });
  await request(otlp, flags);
  await otlp.close();
  expect(collector.spans.filter(({ traceId }) => traceId === TRACE)).toHaveLength(spans);
});

test('close sends spans that are not sent yet', async () => {
  const otlp = start({ OTEL_BSP_SCHEDULE_DELAY: '60000' });
  await request(otlp, '01');
  expect(collector.spans).toEqual([]);
  await otlp.close();
  expect(collector.spans).toHaveLength(1);
});

test('close waits at most three seconds for a collector that does not answer', async () => {
  // An exporter alone would try for ten seconds.
  const otlp = start({ OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:9' });
  await request(otlp, '01');
  const startedAt = performance.now();
  await otlp.close();
  const tookMs = performance.now() - startedAt;
  expect(tookMs).toBeGreaterThan(2_900);
  expect(tookMs).toBeLessThan(6_000);
});
