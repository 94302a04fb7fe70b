/**
 * Offers a server three times the load that it can serve: a mix of single evaluations, polls of an unchanged ruleset
 * and list pages of the management API. The capacity is measured first, over few connections; then three times that
 * rate is sent over many. Exits with 1 when the server exits or is unhealthy afterwards, when the p99 of one kind of
 * request misses its goal, when an answer has an unexpected status, when a refusal has no `Retry-After`, or when a
 * larger share of management requests is served than of evaluations or polls.
 *
 *     node --conditions=@flagsvc/source reference-server/bench/overload.bench.ts [--seconds 10] [--factor 3]
 */

import { parseArgs } from 'node:util';
import { type OfferedRequest, offer } from './offered-load.ts';
import { startServer } from './start-server.ts';
import { createToggle } from './toggle.ts';

const GOAL_P99_MS = 250;
/** Requests of these first seconds are not counted, because the server takes this long to notice a standing queue. */
const NOTICE_SECONDS = 2;
const { values } = parseArgs({
  options: { seconds: { type: 'string', default: '10' }, factor: { type: 'string', default: '3' } },
});
const seconds = Number(values.seconds);
const factor = Number(values.factor);

const server = await startServer({ setup: { flags: 1_000 } });
const { port, apiKey } = server;

const requests = await describeRequests();
const capacity = await offer({
  port,
  requests,
  perSecond: Number.POSITIVE_INFINITY,
  connections: 64,
  seconds: 5,
});
const rate = Math.floor(capacity.answered / 5);
print(`capacity: ${rate} requests a second over 64 connections`);
const result = await offer({
  port,
  requests,
  perSecond: factor * rate,
  connections: 1_500,
  seconds: seconds + NOTICE_SECONDS,
  warmUpSeconds: NOTICE_SECONDS,
});
print(
  `offered ${factor} times the capacity over 1500 connections for ${seconds} s, after a warm-up of ${NOTICE_SECONDS} s; ${result.unsent} requests found no free connection; the generator's own delay was ${result.lagMs.toFixed(0)} ms (p99)`,
);

let isMissed = server.hasExited();
const share = { evaluation: 0, ruleset: 0, management: 0 };
for (const kind of ['evaluation', 'ruleset', 'management'] as const) {
  const { served, refused, wrong, withoutRetryAfter } = result.kinds[kind];
  const times = served.sort((left, right) => left - right);
  const p99 = times[Math.ceil(times.length * 0.99) - 1] ?? 0;
  share[kind] = times.length / Math.max(1, times.length + refused);
  const isLate = p99 > GOAL_P99_MS;
  isMissed ||= isLate || withoutRetryAfter > 0 || wrong > 0;
  print(
    `${kind.padEnd(11)} ${String(times.length).padStart(7)} served (${(100 * share[kind]).toFixed(0)} %), p99 ${p99.toFixed(0)} ms ` +
      `(goal <= ${GOAL_P99_MS}${isLate ? ', MISSED' : ''}), ${refused} refused, ${withoutRetryAfter} of them without Retry-After, ${wrong} other answers`,
  );
}
if (Math.min(share.evaluation, share.ruleset) < share.management) {
  isMissed = true;
  print('MISSED: a larger share of management requests was served than of evaluations or polls');
}
const health = await fetch(`http://127.0.0.1:${port}/health`);
print(`afterwards /health answers ${health.status}`);
process.exit(isMissed || health.status !== 200 ? 1 : 0);

async function describeRequests(): Promise<readonly OfferedRequest[]> {
  const base = `http://127.0.0.1:${port}/api/v1`;
  const toggle = await createToggle(base);
  const ruleset = await fetch(`${base}/sdk/ruleset`, { headers: { 'x-api-key': apiKey } });
  await ruleset.arrayBuffer();
  const body = JSON.stringify({ flags: [toggle.flagKey], context: { user_key: 'u' } });
  const key = `x-api-key: ${apiKey}`;
  const evaluation = text('POST', '/evaluate', [
    key,
    'content-type: application/json',
    `content-length: ${body.length}`,
  ]);
  const unchanged = text('GET', '/sdk/ruleset', [key, `if-none-match: ${ruleset.headers.get('etag')}`]);
  const list = text('GET', `/flags?environment_id=${toggle.environmentId}&per_page=20`, [
    `authorization: Bearer ${toggle.accessToken}`,
  ]);
  const bytes = {
    evaluation: Buffer.from(evaluation + body),
    ruleset: Buffer.from(unchanged),
    management: Buffer.from(list),
  };
  const mix = ['evaluation', 'evaluation', 'ruleset', 'evaluation', 'management'] as const;
  return mix.map((kind) => ({ kind, bytes: bytes[kind] }));
}

function text(method: string, path: string, headers: readonly string[]): string {
  return `${[`${method} /api/v1${path} HTTP/1.1`, 'host: 127.0.0.1', ...headers].join('\r\n')}\r\n\r\n`;
}

function print(line: string): void {
  process.stdout.write(`${line}\n`);
}
