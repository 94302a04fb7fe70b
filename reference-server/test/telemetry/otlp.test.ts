import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { createApi } from '../api.ts';
import { type Receiver, startReceiver } from '../receiver.ts';
import { booleanFlag, PASSWORD } from '../server.ts';
import { type ServerProcess, startServer } from '../server-process.ts';
import { createHttpTransport } from '../transports.ts';
import { post } from './busy-server.ts';
import { type Collector, startCollector } from './collector.ts';

const QUICK = { OTEL_BSP_SCHEDULE_DELAY: '20', OTEL_METRIC_EXPORT_INTERVAL: '200' };
const TRACE = '0af7651916cd43dd8448eb211c80319c';
const PARENT = 'b7ad6b7169203331';

let folder: string;
let collector: Collector;
let receiver: Receiver;
const running: ServerProcess[] = [];

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'flagsvc-otlp-'));
  receiver = await startReceiver();
});
afterEach(async () => {
  for (const { child, exit } of running.splice(0)) {
    child.kill('SIGKILL');
    await exit;
  }
  await collector?.close();
});
afterAll(async () => {
  await receiver.close();
  rmSync(folder, { recursive: true });
});

function run(env: Record<string, string>): ServerProcess {
  const server = startServer({
    FLAGSVC_DATABASE_URL: 'sqlite::memory:',
    FLAGSVC_OUTBOUND_ALLOW: `127.0.0.1,${receiver.port}`,
    FLAGSVC_OUTBOUND_ALLOW_HTTP: 'true',
    ...env,
  });
  running.push(server);
  return server;
}

/** Starts a collector, and a server that exports to it. */
async function runExporting(env: Record<string, string> = {}): Promise<string> {
  collector = await startCollector();
  return run({ OTEL_EXPORTER_OTLP_ENDPOINT: collector.url, ...QUICK, ...env }).url;
}

const withParent = (flags: string) => ({ traceparent: `00-${TRACE}-${PARENT}-${flags}` });
const spanNamed = (name: string) => collector.spans.find((span) => span.name === name);

async function loginAsAdmin(url: string) {
  const transport = createHttpTransport(url);
  const { auth } = createApi({ transport });
  const credentials = { email: 'admin@example.com', password: PASSWORD };
  await auth.register(credentials);
  const { access_token: token } = await auth.login(credentials);
  const [project] = await createApi({ transport, token }).projects.list();
  const [environment] = await createApi({ transport, token }).environments.listOf(project!.id);
  return createApi({ transport, token, environmentId: environment!.id });
}

test('an operation is a span of the trace of its caller, as the log says, and its statements are spans below it', async () => {
  const url = await runExporting({
    OTEL_SERVICE_NAME: 'flags-of-test',
    OTEL_RESOURCE_ATTRIBUTES: 'deployment.environment.name=test',
    OTEL_EXPORTER_OTLP_HEADERS: 'x-tenant=acme',
  });
  const body = { email: 'ada@example.com', password: 'wrong horse' };
  await post(`${url}/api/v1/auth/login?secret=1`, withParent('01'), body);
  await expect.poll(() => spanNamed('POST /api/v1/auth/login')).toBeDefined();
  const operation = spanNamed('POST /api/v1/auth/login')!;
  expect(operation).toMatchObject({ kind: 2, traceId: TRACE, parentSpanId: PARENT });
  expect(operation.attributes).toMatchObject({
    'http.request.method': 'POST',
    'http.route': '/api/v1/auth/login',
    'http.response.status_code': 401,
    'url.path': '/api/v1/auth/login',
    'client.address': '127.0.0.1',
    'flagsvc.operation': 'login',
  });
  const took = BigInt(operation.endTimeUnixNano) - BigInt(operation.startTimeUnixNano);
  expect(took > 0n && took < 10_000_000_000n).toBe(true);
  const statement = spanNamed('select users')!;
  expect(statement).toMatchObject({ kind: 3, traceId: TRACE, parentSpanId: operation.spanId });
  expect(statement.attributes).toMatchObject({
    'db.system.name': 'sqlite',
    'db.operation.name': 'select',
    'db.collection.name': 'users',
    'db.query.text': expect.stringMatching(/^select .* where .*\?/),
  });
  expect(BigInt(statement.startTimeUnixNano) >= BigInt(operation.startTimeUnixNano)).toBe(true);
  expect(collector.resource).toMatchObject({
    'service.name': 'flags-of-test',
    'deployment.environment.name': 'test',
    'service.version': expect.stringMatching(/^\d/),
  });
  expect(collector.headers[0]).toMatchObject({ 'x-tenant': 'acme' });
  const lines = running[0]!.output.out.trim().split('\n');
  const requests = lines.map((line) => JSON.parse(line)).filter(({ msg }) => msg === 'request');
  expect(requests).toMatchObject([{ operation: 'login', code: 'INVALID_CREDENTIALS', trace_id: TRACE }]);
  // Neither values of statements nor query strings may leave the server.
  expect(JSON.stringify(collector.spans)).not.toMatch(/ada@example|horse|secret=1/);
});

test('unchanged polls are traced, although no hook of the app sees them', async () => {
  const url = await runExporting();
  const api = await loginAsAdmin(url);
  const [environment] = await api.environments.listOf((await api.projects.list())[0]!.id);
  const { key } = await api.apiKeys.create(environment!.id, { name: 'poller' });
  const path = `${url}/api/v1/sdk/ruleset`;
  const etag = (await fetch(path, { headers: { 'x-api-key': key! } })).headers.get('etag')!;
  await fetch(path, { headers: { 'x-api-key': key!, 'if-none-match': etag, ...withParent('01') } });
  const poll = () => collector.spans.find(({ traceId }) => traceId === TRACE);
  await expect.poll(poll).toBeDefined();
  expect(poll()).toMatchObject({
    name: 'GET /api/v1/sdk/ruleset',
    parentSpanId: PARENT,
    attributes: { 'http.response.status_code': 304, 'flagsvc.operation': 'getRuleset' },
  });
});

test('a call of a webhook is a span of the change, and passes the trace on', async () => {
  const url = await runExporting();
  const api = await loginAsAdmin(url);
  await api.webhooks.create({ url: receiver.url, events: ['flag.*'] });
  // A webhook gets the events that happen after its creation has been processed.
  await expect
    .poll(async () => {
      await api.flags.create(booleanFlag(`flag-${collector.spans.length}`));
      return receiver.received.length;
    })
    .toBeGreaterThan(0);
  const [, traceId, spanId] = receiver.received[0]!.headers['traceparent']!.split('-');
  const call = () => collector.spans.find((span) => span.spanId === spanId);
  await expect.poll(call).toBeDefined();
  expect(call()).toMatchObject({
    name: 'POST',
    kind: 3,
    traceId,
    attributes: {
      'server.address': '127.0.0.1',
      'server.port': receiver.port,
      'http.response.status_code': 204,
    },
  });
});

test('the same metrics are exported as are served for Prometheus', async () => {
  const url = await runExporting({ FLAGSVC_METRICS_PORT: '0' });
  await fetch(`${url}/health/live`);
  await expect
    .poll(() => collector.metrics.get('flagsvc_http_request_duration_seconds')?.points.length)
    .toBeGreaterThan(0);
  const metricsUrl = /metrics available at (http:[^"]+)/.exec(running[0]!.output.out)![1]!;
  const text = await (await fetch(metricsUrl)).text();
  for (const [, name, type] of text.matchAll(/^# TYPE (\w+) (\w+)$/gm))
    expect(collector.metrics.get(name!)?.kind, name).toBe(type === 'counter' ? 'sum' : type);
  const histogram = collector.metrics.get('flagsvc_http_request_duration_seconds')!;
  const point = histogram.points.find(({ attributes }) => attributes['operation'] === 'getLiveness')!;
  expect(histogram.unit).toBe('s');
  expect(point.bucketCounts).toHaveLength(point.explicitBounds!.length + 1);
  expect(point.bucketCounts!.reduce((sum, count) => sum + count)).toBe(point.count);
  expect(point.count).toBe(1);
  expect(point.sum).toBeGreaterThan(0);
});

test.each<[sampler: string, env: Record<string, string>, flags: string, isRecorded: boolean]>([
  ['always_off', { OTEL_TRACES_SAMPLER: 'always_off' }, '01', false],
  ['always_on, even if the caller does not sample', { OTEL_TRACES_SAMPLER: 'always_on' }, '00', true],
])('sampler %s', async (_name, env, flags, isRecorded) => {
  const url = await runExporting(env);
  await fetch(`${url}/health/live`, { headers: withParent(flags) });
  // Metrics are exported after spans.
  const before = collector.headers.length;
  await expect.poll(() => collector.headers.length).toBeGreaterThan(before + 2);
  expect(collector.spans.filter(({ traceId }) => traceId === TRACE)).toHaveLength(isRecorded ? 1 : 0);
});

test('spans that are not sent yet are sent when the server stops', async () => {
  const url = await runExporting({ OTEL_BSP_SCHEDULE_DELAY: '60000', OTEL_METRICS_EXPORTER: 'none' });
  await fetch(`${url}/health/live`, { headers: withParent('01') });
  const [server] = running;
  server!.child.kill('SIGTERM');
  expect(await server!.exit).toBe(0);
  expect(collector.spans.map(({ traceId }) => traceId)).toContain(TRACE);
  expect(collector.metrics.size).toBe(0);
});

test('a dead collector is reported in the log and delays a stop by no more than three seconds', async () => {
  const dead = { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:9', ...QUICK };
  const [patient, quick] = [run(dead), run({ ...dead, OTEL_EXPORTER_OTLP_TIMEOUT: '300' })];
  for (const server of [patient, quick]) await fetch(`${await server.url}/health/live`);
  await expect.poll(() => quick.output.out).toContain('OpenTelemetry could not export');
  const startedAt = performance.now();
  patient.child.kill('SIGTERM');
  expect(await patient.exit).toBe(0);
  // An exporter alone would try for ten seconds.
  expect(performance.now() - startedAt).toBeLessThan(8_000);
});

/** A module that Node loads first: it records what is imported, and hides packages. */
function hooks(hidden = '$^'): string {
  const file = join(folder, `hooks-${Math.random()}.mjs`);
  writeFileSync(
    file,
    `import { registerHooks } from 'node:module';
import { appendFileSync } from 'node:fs';
registerHooks({
  resolve(specifier, context, next) {
    if (new RegExp(${JSON.stringify(hidden)}).test(specifier))
      throw Object.assign(new Error('Cannot find package ' + specifier), { code: 'ERR_MODULE_NOT_FOUND' });
    const found = next(specifier, context);
    appendFileSync(${JSON.stringify(`${file}.log`)}, found.url + '\\n');
    return found;
  },
});`,
  );
  return file;
}

test('without an endpoint, no package of OpenTelemetry is loaded, nor prom-client', async () => {
  const loadedWith = async (env: Record<string, string>): Promise<string> => {
    const file = hooks();
    const server = run({ NODE_OPTIONS: `--import=${pathToFileURL(file).href}`, ...env });
    await fetch(`${await server.url}/health`);
    return readFileSync(`${file}.log`, 'utf8');
  };
  const plain = await loadedWith({ OTEL_SERVICE_NAME: 'x' });
  expect(plain).toContain('/node_modules/fastify/');
  expect(plain).not.toMatch(/opentelemetry|prom-client|telemetry\/tracing\/otel/);
  collector = await startCollector();
  expect(await loadedWith({ OTEL_EXPORTER_OTLP_ENDPOINT: collector.url })).toContain(
    '/node_modules/@opentelemetry/sdk-trace/',
  );
});

test('without the packages, the server says how to install them and does not start', async () => {
  const server = run({
    NODE_OPTIONS: `--import=${pathToFileURL(hooks('^@opentelemetry/sdk-trace')).href}`,
    OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:4318',
  });
  expect(await server.exit).toBe(1);
  expect(server.output.err).toMatch(/OpenTelemetry are not installed.*npm install --include=optional/);
});
