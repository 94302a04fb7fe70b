import { spawnSync } from 'node:child_process';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type DebianTool, debianTool } from '../../../scripts/debian-tools.ts';
import { createPrometheusMetrics } from '../../src/telemetry/metrics/prometheus-registry.ts';
import { ENVIRONMENTS_MAX } from '../../src/telemetry/metrics/ruleset-metrics.ts';
import { codeOf } from '../api-call.ts';
import { isOnPostgres } from '../database.ts';
import { startServer } from '../server.ts';
import { type BusyServer, startBusyServer } from './busy-server.ts';
import { parseSamples, type Sample, valueIn } from './samples.ts';

const promtool = await debianTool('promtool');
let busy: BusyServer;
let text: string;
let samples: readonly Sample[];

beforeAll(async () => {
  busy = await startBusyServer();
  text = await busy.scrape();
  samples = parseSamples(text);
});
afterAll(() => busy.close());

test.each<[name: string, labels: Record<string, string>, value: number]>([
  ['flagsvc_info', { version: '0.0.0-test', mode: 'oss' }, 1],
  // Three polls on the fast path and one on the route.
  ['flagsvc_http_request_duration_seconds_count', { operation: 'getRuleset', status_class: '3xx' }, 3],
  ['flagsvc_http_request_duration_seconds_count', { operation: 'getRuleset', status_class: '2xx' }, 1],
  ['flagsvc_http_request_duration_seconds_count', { operation: 'evaluate', status_class: '2xx' }, 2],
  ['flagsvc_http_request_duration_seconds_count', { operation: 'toggleFlag', status_class: '2xx' }, 1],
  ['flagsvc_http_request_duration_seconds_count', { operation: 'unknown', status_class: '4xx' }, 1],
  ['flagsvc_http_requests_total', { plane: 'data', status: '304' }, 3],
  ['flagsvc_evaluation_requests_total', { key_kind: 'server' }, 2],
  ['flagsvc_evaluations_total', { key_kind: 'server' }, 2],
  ['flagsvc_reported_evaluations_total', {}, 5],
  ['flagsvc_event_batches_total', { outcome: 'stored' }, 1],
  ['flagsvc_event_batches_total', { outcome: 'repeated' }, 1],
  ['flagsvc_events_total', { outcome: 'accepted' }, 3],
  ['flagsvc_events_lost_total', { cause: 'spool_full' }, 7],
  ['flagsvc_events_lost_total', { cause: 'other' }, 2],
  ['flagsvc_events_total', { outcome: 'rejected' }, 1],
  ['flagsvc_streams_opened_total', { key_kind: 'server' }, 1],
  ['flagsvc_stream_notifications_total', {}, 1],
  ['flagsvc_stream_lag_seconds_count', {}, 1],
  ['flagsvc_publication_duration_seconds_count', {}, 1],
  ['flagsvc_mails_total', { outcome: 'sent' }, 1],
  ['flagsvc_mails_total', { outcome: 'delayed' }, 1],
  ['flagsvc_webhook_attempts_total', { outcome: 'succeeded' }, 2],
  ['flagsvc_webhook_messages_pending', {}, 0],
  ['flagsvc_rulesets_published', {}, 1],
  ['flagsvc_rulesets_served', {}, 1],
  ['flagsvc_rulesets_failing', {}, 0],
  ['flagsvc_job_runs_total', { job_name: 'webhooks', outcome: 'succeeded' }, 2],
  ['flagsvc_leading', {}, 1],
  ['flagsvc_limits_shared', {}, 1],
  ['flagsvc_database_waiting', {}, 0],
])('%s %o is %d after known work', (name, labels, value) => {
  expect(valueIn(samples, name, labels)).toBe(value);
});

test('the version and age of a ruleset are those of its environment', async () => {
  const environment_id = busy.server.environments.production;
  const version = valueIn(samples, 'flagsvc_ruleset_version', { environment_id })!;
  expect(version).toBeGreaterThan(1);
  const before = valueIn(samples, 'flagsvc_ruleset_age_seconds', { environment_id })!;
  busy.server.advance(60_000);
  const later = parseSamples(await busy.scrape());
  expect(valueIn(later, 'flagsvc_ruleset_age_seconds', { environment_id })).toBeCloseTo(before + 60, 0);
});

test('statements, transactions, waits and the size of the database are measured', () => {
  for (const kind of ['select', 'insert', 'update'])
    expect(valueIn(samples, 'flagsvc_database_statement_duration_seconds_count', { kind })).toBeGreaterThan(
      0,
    );
  expect(
    valueIn(samples, 'flagsvc_database_transaction_duration_seconds_count', { outcome: 'commit' }),
  ).toBeGreaterThan(5);
  expect(valueIn(samples, 'flagsvc_database_wait_duration_seconds_count')).toBeGreaterThan(5);
  expect(valueIn(samples, 'flagsvc_database_size_bytes')).toBeGreaterThan(100_000);
});

test('the process, its heap, its garbage collections and its event loop are measured', () => {
  for (const name of [
    'process_cpu_seconds_total',
    'process_resident_memory_bytes',
    'nodejs_heap_size_used_bytes',
    'nodejs_eventloop_lag_p99_seconds',
  ])
    expect(valueIn(samples, name), name).toBeGreaterThan(0);
  expect(text).toContain('nodejs_gc_duration_seconds');
});

test.skipIf(promtool.missing !== undefined)(
  `promtool finds no fault in the metrics (${promtool.missing ?? 'found'})`,
  async () => {
    const tool = promtool as DebianTool;
    const scraped = await busy.scrape();
    const check = spawnSync(tool.path, ['check', 'metrics'], { input: scraped, env: tool.env });
    expect(String(check.stderr) + String(check.stdout)).toBe('');
    expect(check.status).toBe(0);
  },
);

test('refusals are counted by the name of the limit', async () => {
  const limits = { auth: 1, evaluation: 1, management: 1_000 };
  const server = await startServer({
    createMetrics: createPrometheusMetrics,
    limits: { ...limits, auth: 9 },
  });
  const { key } = await server.as('admin').apiKeys.create(server.environments.production, { name: 'a' });
  const evaluate = () =>
    server.withKey(key!).dataPlane.evaluate({ flags: ['*'], context: { user_key: 'u' } });
  await evaluate();
  for (let count = 0; count < 2; count++) expect(await codeOf(evaluate())).toBe('RATE_LIMIT_EXCEEDED');
  const found = parseSamples(await server.app.metrics!.render());
  expect(valueIn(found, 'flagsvc_requests_refused_total', { limit: 'evaluation' })).toBe(2);
  expect(valueIn(found, 'flagsvc_requests_refused_total', { limit: 'ruleset' })).toBe(0);
  await server.close();
});

test('nothing that strangers send adds a series', async () => {
  // The first refusals may open series for their operations and statuses.
  const attack = async (name: string): Promise<void> => {
    for (const path of [`/${name}`, `/api/v1/flags/${name}`, `/api/v1/evaluate?x=${name}`])
      await fetch(busy.url + path, {
        headers: { 'user-agent': name, 'x-api-key': name, authorization: `Bearer ${name}`, origin: name },
      });
    await fetch(`${busy.url}/health/live`, { method: 'PROPFIND' }).catch(() => {});
  };
  const series = async () =>
    parseSamples(await busy.scrape()).filter(({ name }) => name.startsWith('flagsvc_')).length;
  await attack('first');
  const before = await series();
  for (let count = 0; count < 50; count++) await attack(`n${count}"}`);
  expect(await series()).toBe(before);
});

test('at most 1,000 environments have series of their own', async () => {
  const metrics = createPrometheusMetrics({ version: '1', mode: 'oss' });
  const served = Array.from({ length: ENVIRONMENTS_MAX + 100 }, (_, count) => ({
    environmentId: `env_${count}`,
    version: count,
    servedSince: 0,
    isFailing: count % 2 === 0,
  }));
  metrics.readState({
    now: () => 5_000,
    isPublishing: () => false,
    served: () => served,
    isLeading: () => false,
    connectionUse: () => ({ active: 2, waiting: 3 }),
    databaseState: () => Promise.reject(new Error('away')),
    pendingMessages: () => Promise.reject(new Error('away')),
  });
  const found = parseSamples(await metrics.render());
  const perEnvironment = found.filter(({ labels }) => labels['environment_id'] !== undefined);
  expect(perEnvironment).toHaveLength(2 * ENVIRONMENTS_MAX);
  expect(valueIn(found, 'flagsvc_ruleset_version', { environment_id: 'env_7' })).toBe(7);
  expect(valueIn(found, 'flagsvc_ruleset_age_seconds', { environment_id: 'env_7' })).toBe(5);
  expect(valueIn(found, 'flagsvc_rulesets_served')).toBe(1_100);
  expect(valueIn(found, 'flagsvc_rulesets_failing')).toBe(550);
  // Without the database, a scrape leaves out what it cannot read.
  expect(valueIn(found, 'flagsvc_database_connections', { state: 'active' })).toBe(2);
  expect(valueIn(found, 'flagsvc_database_waiting')).toBe(3);
  expect(valueIn(found, 'flagsvc_database_size_bytes')).toBeUndefined();
  expect(valueIn(found, 'flagsvc_webhook_messages_pending')).toBeUndefined();
});

test.skipIf(isOnPostgres)('a server without metrics measures nothing (skipped on PostgreSQL)', async () => {
  const server = await startServer();
  expect(server.app.metrics).toBeUndefined();
  await server.close();
});
