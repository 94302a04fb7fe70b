import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Api, createApi } from '../api.ts';
import { type Receiver, startReceiver } from '../receiver.ts';
import { booleanFlag, PASSWORD } from '../server.ts';
import { type ServerProcess, startServer } from '../server-process.ts';
import { createHttpTransport } from '../transports.ts';
import { post } from './busy-server.ts';
import { type Collector, startCollector } from './collector.ts';

const QUICK = { OTEL_BSP_SCHEDULE_DELAY: '20', OTEL_METRIC_EXPORT_INTERVAL: '200' };
const PARENT = 'b7ad6b7169203331';

let folder: string;
let receiver: Receiver;
/** A server that exports to `collector`, and its first admin. */
let collector: Collector;
let exporting: ServerProcess;
let url: string;
let admin: Api;
const running: ServerProcess[] = [];

// A start takes seconds, so most tests share one server.
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'flagsvc-otlp-'));
  [receiver, collector] = await Promise.all([startReceiver(), startCollector()]);
  exporting = run({
    ...QUICK,
    OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
    OTEL_EXPORTER_OTLP_HEADERS: 'x-tenant=acme',
    OTEL_SERVICE_NAME: 'flags-of-test',
    OTEL_RESOURCE_ATTRIBUTES: 'deployment.environment.name=test',
    FLAGSVC_METRICS_PORT: '0',
    NODE_OPTIONS: `--import=${pathToFileURL(hooks('exporting')).href}`,
  });
  url = await exporting.url;
  admin = await loginAsAdmin();
}, 60_000);
afterAll(async () => {
  for (const { child, exit } of running) {
    child.kill('SIGKILL');
    await exit;
  }
  await collector.close();
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

const withParent = (trace: string) => ({ traceparent: `00-${trace}-${PARENT}-01` });

async function loginAsAdmin(): Promise<Api> {
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
  const trace = '1'.repeat(32);
  const body = { email: 'ada@example.com', password: 'wrong horse' };
  await post(`${url}/api/v1/auth/login?secret=1`, withParent(trace), body);
  const spanNamed = (name: string) =>
    collector.spans.find((span) => span.traceId === trace && span.name === name);
  await expect.poll(() => spanNamed('POST /api/v1/auth/login')).toBeDefined();
  await expect.poll(() => spanNamed('select users')).toBeDefined();
  const operation = spanNamed('POST /api/v1/auth/login')!;
  expect(operation).toMatchObject({ kind: 2, parentSpanId: PARENT });
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
  expect(statement).toMatchObject({ kind: 3, parentSpanId: operation.spanId });
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
  const logged = () =>
    exporting.output.out
      .split('\n')
      .filter((line) => line.includes(trace))
      .map((line) => JSON.parse(line));
  // The output of the process and its spans arrive on different ways.
  await expect
    .poll(logged)
    .toMatchObject([{ msg: 'request', operation: 'login', code: 'INVALID_CREDENTIALS', trace_id: trace }]);
  // Neither values of statements nor query strings may leave the server.
  expect(JSON.stringify(collector.spans)).not.toMatch(/ada@example|horse|secret=1/);
});

test('unchanged polls are traced, although no hook of the app sees them', async () => {
  const trace = '2'.repeat(32);
  const [environment] = await admin.environments.listOf((await admin.projects.list())[0]!.id);
  const { key } = await admin.apiKeys.create(environment!.id, { name: 'poller' });
  const path = `${url}/api/v1/sdk/ruleset`;
  const etag = (await fetch(path, { headers: { 'x-api-key': key! } })).headers.get('etag')!;
  await fetch(path, { headers: { 'x-api-key': key!, 'if-none-match': etag, ...withParent(trace) } });
  const poll = () => collector.spans.find(({ traceId }) => traceId === trace);
  await expect.poll(poll).toBeDefined();
  expect(poll()).toMatchObject({
    name: 'GET /api/v1/sdk/ruleset',
    parentSpanId: PARENT,
    attributes: { 'http.response.status_code': 304, 'flagsvc.operation': 'getRuleset' },
  });
});

test('a call of a webhook is a span of the change, and passes the trace on', async () => {
  await admin.webhooks.create({ url: receiver.url, events: ['flag.*'] });
  // A webhook gets the events that happen after its creation has been processed.
  await expect
    .poll(async () => {
      await admin.flags.create(booleanFlag(`flag-${collector.spans.length}`));
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
  await fetch(`${url}/health/live`);
  const liveness = () =>
    collector.metrics
      .get('flagsvc_http_request_duration_seconds')
      ?.points.find(({ attributes }) => attributes['operation'] === 'getLiveness');
  await expect.poll(liveness).toBeDefined();
  const metricsUrl = /metrics available at (http:[^"]+)/.exec(exporting.output.out)![1]!;
  const text = await (await fetch(metricsUrl)).text();
  for (const [, name, type] of text.matchAll(/^# TYPE (\w+) (\w+)$/gm))
    expect(collector.metrics.get(name!)?.kind, name).toBe(type === 'counter' ? 'sum' : type);
  const histogram = collector.metrics.get('flagsvc_http_request_duration_seconds')!;
  const point = liveness()!;
  expect(histogram.unit).toBe('s');
  expect(point.bucketCounts).toHaveLength(point.explicitBounds!.length + 1);
  expect(point.bucketCounts!.reduce((sum, count) => sum + count)).toBe(point.count);
  expect(point.count).toBe(1);
  expect(point.sum).toBeGreaterThan(0);
});

test('a collector that cannot be reached is reported in the log, and a stop sends the spans that are left', async () => {
  const trace = '3'.repeat(32);
  const server = run({
    ...QUICK,
    OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
    OTEL_EXPORTER_OTLP_METRICS_ENDPOINT: 'http://127.0.0.1:9/v1/metrics',
    OTEL_EXPORTER_OTLP_TIMEOUT: '300',
    OTEL_BSP_SCHEDULE_DELAY: '60000',
  });
  await fetch(`${await server.url}/health/live`, { headers: withParent(trace) });
  await expect.poll(() => server.output.out).toContain('OpenTelemetry could not export');
  const traces = () => collector.spans.map(({ traceId }) => traceId);
  expect(traces()).not.toContain(trace);
  server.child.kill('SIGTERM');
  expect(await server.exit).toBe(0);
  expect(traces()).toContain(trace);
});

/** A module that Node loads first: it records what is imported, and hides packages. */
function hooks(name: string, hidden = '$^'): string {
  const file = join(folder, `${name}.mjs`);
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

const loadedBy = (name: string): string => readFileSync(join(folder, `${name}.mjs.log`), 'utf8');

test('without an endpoint, no package of OpenTelemetry is loaded, nor prom-client', async () => {
  const server = run({
    NODE_OPTIONS: `--import=${pathToFileURL(hooks('plain')).href}`,
    OTEL_SERVICE_NAME: 'x',
  });
  await fetch(`${await server.url}/health`);
  expect(loadedBy('plain')).toContain('/node_modules/fastify/');
  expect(loadedBy('plain')).not.toMatch(/opentelemetry|prom-client|telemetry\/tracing\/otel/);
  expect(loadedBy('exporting')).toContain('/node_modules/@opentelemetry/sdk-trace/');
});

test('without the packages, the server says how to install them and does not start', async () => {
  const server = run({
    NODE_OPTIONS: `--import=${pathToFileURL(hooks('hiding', '^@opentelemetry/sdk-trace')).href}`,
    OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:4318',
  });
  expect(await server.exit).toBe(1);
  expect(server.output.err).toMatch(/OpenTelemetry are not installed.*npm install --include=optional/);
});
