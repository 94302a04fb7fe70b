/**
 * Measures what batches of events cost a server on an SQLite file, and whether evaluations wait for them. Windows with
 * 1,000 evaluations a second alternate with windows that add 500 batches a second. Exits with 1 when the median p99 of
 * evaluations beside the batches exceeds both 1.5 times that without them and 3 ms more, when a batch costs more than
 * 150 µs of processor time, or when a batch is lost.
 *
 *     node --conditions=@flagsvc/source reference-server/bench/intake.bench.ts [--seconds 20] [--rounds 5]
 */

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import Sqlite from 'better-sqlite3';
import { type Answers, type OfferedRequest, offer } from './offered-load.ts';
import { startServer } from './start-server.ts';
import { createToggle } from './toggle.ts';

const EVALUATIONS_PER_SECOND = 1_000;
const BATCHES_PER_SECOND = 500;
/** A batch of a client that has evaluated some flags for ten seconds. */
const COUNTERS = 10;
const EXPOSURES = 2;
const RATIO_GOAL = 1.5;
const MORE_GOAL_MS = 3;
const COST_GOAL_MICROS = 150;

const { values } = parseArgs({
  options: { seconds: { type: 'string', default: '20' }, rounds: { type: 'string', default: '5' } },
});
const seconds = Number(values.seconds);
const rounds = Number(values.rounds);

const folder = mkdtempSync(join(tmpdir(), 'flagsvc-intake-'));
process.on('exit', () => rmSync(folder, { recursive: true, force: true }));
const server = await startServer({
  setup: { flags: 1_000, databaseUrl: `sqlite:${join(folder, 'flags.db')}` },
});
const { port, apiKey } = server;
const base = `http://127.0.0.1:${port}/api/v1`;
const { flagKey } = await createToggle(base);

const evaluation: OfferedRequest = {
  kind: 'evaluation',
  bytes: request('/evaluate', JSON.stringify({ flags: [flagKey], context: { user_key: 'u' } })),
};
let batches = 0;
let acknowledged = 0;
let refusals = 0;
const events: OfferedRequest = { kind: 'events', bytes: () => request('/sdk/events', nextBatch()) };

const alone: Window[] = [];
const beside: Window[] = [];
await measure(false, 3);
await measure(true, 3);
for (let round = 1; round <= rounds; round++) {
  alone.push(await measure(false, seconds));
  beside.push(await measure(true, seconds));
  const [without, withBatches] = [alone.at(-1)!, beside.at(-1)!];
  print(
    `round ${round}: p99 of evaluations ${without.p99.toFixed(1)} ms, beside batches ${withBatches.p99.toFixed(1)} ms; ${withBatches.batches} batches, p99 ${withBatches.batchP99.toFixed(1)} ms`,
  );
}

const p99 = { alone: median(alone.map((one) => one.p99)), beside: median(beside.map((one) => one.p99)) };
const limit = Math.max(RATIO_GOAL * p99.alone, p99.alone + MORE_GOAL_MS);
const evaluationCost = median(alone.map((one) => one.cpuMicros / one.evaluations));
const cost = median(
  beside.map((one) => (one.cpuMicros - one.evaluations * evaluationCost) / Math.max(1, one.batches)),
);
const stored = countReceipts();
const isLate = p99.beside > limit;
const isCostly = cost > COST_GOAL_MICROS;
const isLost = stored < acknowledged;
const perDay = (BATCHES_PER_SECOND * (COUNTERS + EXPOSURES + 1) * 86_400) / 1e6;
print(
  `median p99 of evaluations: ${p99.alone.toFixed(1)} ms alone, ${p99.beside.toFixed(1)} ms beside batches (goal <= ${limit.toFixed(1)}${isLate ? ', MISSED' : ''})`,
);
print(
  `processor time of a batch with ${COUNTERS} counters, ${EXPOSURES} exposures and a track event: ${cost.toFixed(0)} µs (goal <= ${COST_GOAL_MICROS}${isCostly ? ', MISSED' : ''}), of an evaluation: ${evaluationCost.toFixed(0)} µs`,
);
print(
  `${acknowledged} batches were acknowledged and ${stored} are stored${isLost ? ': MISSED' : ''}; ${refusals} requests were refused for overload; at this rate, ${perDay.toFixed(0)} million counters and events a day`,
);
server.stop();
process.exit(isLate || isCostly || isLost ? 1 : 0);

interface Window {
  readonly p99: number;
  readonly batchP99: number;
  readonly evaluations: number;
  readonly batches: number;
  readonly cpuMicros: number;
}

async function measure(withBatches: boolean, duration: number): Promise<Window> {
  const before = await server.usage();
  const loads = [{ requests: [evaluation], perSecond: EVALUATIONS_PER_SECOND, connections: 64 }];
  if (withBatches) loads.push({ requests: [events], perSecond: BATCHES_PER_SECOND, connections: 128 });
  const results = await Promise.all(
    loads.map((load) => offer({ port, seconds: duration, drain: true, ...load })),
  );
  const { cpuMicros } = await server.usage();
  const evaluations = results[0]!.kinds.evaluation;
  const stored = results[1]?.kinds.events;
  countRefusals(evaluations);
  if (stored !== undefined) countRefusals(stored);
  acknowledged += stored?.served.length ?? 0;
  return {
    p99: p99Of(evaluations.served),
    batchP99: p99Of(stored?.served ?? []),
    evaluations: evaluations.served.length,
    batches: stored?.served.length ?? 0,
    cpuMicros: cpuMicros - before.cpuMicros,
  };
}

/** A server that shares its processor refuses requests; other answers are faults of the benchmark. */
function countRefusals({ refused, wrong }: Answers): void {
  refusals += refused;
  if (wrong > 0) throw new Error(`${wrong} requests had unexpected answers`);
}

function nextBatch(): string {
  const id = `batch-${batches++}`;
  const at = new Date().toISOString();
  const user_key = `user-${batches % 50_000}`;
  const outcome = (index: number) => ({
    flag_key: `flag-${index % 200}`,
    variation_key: index % 2 === 0 ? 'on' : 'off',
    reason: 'TARGETING_RULE',
    rule_id: `rule-${index % 5}`,
    ruleset_version: 1,
  });
  const counters = Array.from({ length: COUNTERS }, (_, index) => ({
    ...outcome(batches + index),
    count: 7,
  }));
  const exposures = Array.from({ length: EXPOSURES }, (_, index) => ({
    ...{ type: 'exposure', id: `${id}-x${index}`, timestamp: at, user_key },
    ...outcome(batches + index),
  }));
  const track = {
    type: 'track',
    id: `${id}-t`,
    timestamp: at,
    user_key,
    event_name: 'purchase',
    value: 12.5,
  };
  const summary = { type: 'summary', start: at, end: at, counters };
  const sdk = { name: 'bench', version: '1' };
  return JSON.stringify({ batch_id: id, sent_at: at, sdk, events: [summary, ...exposures, track] });
}

function request(path: string, body: string): Buffer {
  const head = [
    `POST /api/v1${path} HTTP/1.1`,
    'host: 127.0.0.1',
    `x-api-key: ${apiKey}`,
    'content-type: application/json',
    `content-length: ${Buffer.byteLength(body)}`,
  ];
  return Buffer.from(`${head.join('\r\n')}\r\n\r\n${body}`);
}

function countReceipts(): number {
  const connection = new Sqlite(join(folder, 'flags.events.db'), { readonly: true });
  try {
    return connection.prepare('select count(*) from event_batches').pluck().get() as number;
  } finally {
    connection.close();
  }
}

function p99Of(times: readonly number[]): number {
  return [...times].sort((one, other) => one - other)[Math.ceil(times.length * 0.99) - 1] ?? 0;
}

function median(list: readonly number[]): number {
  return [...list].sort((one, other) => one - other)[Math.floor(list.length / 2)]!;
}

function print(line: string): void {
  process.stdout.write(`${line}\n`);
}
