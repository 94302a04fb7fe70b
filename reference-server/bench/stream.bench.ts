/**
 * How fast a change reaches those who stream: one server process, and the clients in this one, both on loopback.
 * First bare streams, which tell how fast the server is; then as many sdk-node clients, from the sending of the
 * toggle to the moment at which each of them answers the new value, the conditional fetch of each included. All
 * clients share one core here, so the second figure is theirs as much as the server's. Exits with 1 when the goal for
 * the server is missed.
 *
 *     node --conditions=@flagsvc/source reference-server/bench/stream.bench.ts [--clients 1000] [--toggles 20]
 */

import { fork } from 'node:child_process';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { setTimeout as wait } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { createNodeClient, type NodeClient } from '@flagsvc/sdk-node';
import type { BenchReply, BenchRequest } from './server-process.ts';
import { createToggle } from './toggle.ts';

const GOAL_P99_MS = 100;
const GOAL_STREAM_BYTES = 15 * 1024;
/** Opened at once, so that the backlog of the listening socket is no bottleneck. */
const BATCH = 50;
const PAUSE_MS = 300;

const { values } = parseArgs({
  options: { clients: { type: 'string', default: '1000' }, toggles: { type: 'string', default: '20' } },
});
const clients = Number(values.clients);
const toggles = Number(values.toggles);

const child = fork(fileURLToPath(new URL('./server-process.ts', import.meta.url)), ['flagsvc'], {
  execArgv: ['--conditions=@flagsvc/source', '--expose-gc'],
});
child.on('exit', (code) => {
  if (code !== null) throw new Error(`The server ended with ${code}.`);
});
// Also when something below throws.
process.on('exit', () => child.kill());
const ask = async (message: BenchRequest): Promise<BenchReply> => {
  const answer = once(child, 'message');
  child.send(message);
  return ((await answer) as [BenchReply])[0];
};
const started = await ask({ kind: 'start', flags: 10 });
if (started.kind !== 'started') throw new Error('The server did not start.');
const { port, apiKey } = started;
const base = `http://127.0.0.1:${port}/api/v1`;
const toggle = await createToggle(base);

const before = await memory();
const streams = await openStreams();
const after = await memory();
const told = await measure((arrive) => {
  for (const stream of streams) stream.onUpdate = arrive;
});
for (const stream of streams) stream.socket.destroy();
await wait(PAUSE_MS);

const sdks = await openClients();
const served = await measure((arrive) => {
  for (const sdk of sdks) sdk.onChange = arrive;
});
await Promise.all(sdks.map(({ client }) => client.close({ timeoutMs: 0 })));

const streamBytes = (after - before) / clients;
const isMissed = told.p99 > GOAL_P99_MS || streamBytes > GOAL_STREAM_BYTES;
print(
  `${clients} streams, told`,
  told,
  `goal p99 <= ${GOAL_P99_MS} ms${told.p99 > GOAL_P99_MS ? ', MISSED' : ''}`,
);
print(`${clients} sdk-node clients, serving`, served, 'conditional fetch included; all on one core');
process.stdout.write(
  `a stream takes ${(streamBytes / 1024).toFixed(1)} KiB of the server (goal <= ${GOAL_STREAM_BYTES / 1024}${streamBytes > GOAL_STREAM_BYTES ? ', MISSED' : ''})\n`,
);
child.removeAllListeners('exit');
child.kill();
process.exit(isMissed ? 1 : 0);

interface Latencies {
  readonly p50: number;
  readonly p99: number;
  readonly max: number;
  /** Processor time of the server for one toggle and all that follows from it. */
  readonly serverMs: number;
}

/** Toggles again and again; each time from the sending of the request to each of the arrivals. */
async function measure(listen: (arrive: () => void) => void): Promise<Latencies> {
  const all: number[] = [];
  const cpuBefore = await processorTime();
  for (let round = 0; round <= toggles; round++) {
    let missing = clients;
    let sentAt = 0;
    const done = new Promise<void>((resolve) => {
      listen(() => {
        // The first round only warms up.
        if (round > 0) all.push(performance.now() - sentAt);
        missing -= 1;
        if (missing === 0) resolve();
      });
    });
    sentAt = performance.now();
    await toggle.switch();
    await Promise.race([
      done,
      wait(10_000).then(() => Promise.reject(new Error(`${missing} clients have not heard of a toggle.`))),
    ]);
    await wait(PAUSE_MS);
  }
  all.sort((left, right) => left - right);
  const at = (share: number): number => all[Math.min(all.length - 1, Math.floor(all.length * share))]!;
  const serverMs = ((await processorTime()) - cpuBefore) / 1_000 / (toggles + 1);
  return { p50: at(0.5), p99: at(0.99), max: all.at(-1)!, serverMs };
}

async function openStreams() {
  const head = `GET /api/v1/sdk/stream HTTP/1.1\r\nhost: 127.0.0.1\r\nx-api-key: ${apiKey}\r\n\r\n`;
  return inBatches(
    () =>
      new Promise<{ socket: Socket; onUpdate: () => void }>((resolve, reject) => {
        const socket = connect(port, '127.0.0.1', () => socket.write(head));
        const stream = { socket, onUpdate: () => {} };
        socket.on('error', reject);
        socket.on('data', (chunk) => {
          if (!chunk.includes('ruleset.updated')) return;
          resolve(stream);
          stream.onUpdate();
        });
      }),
  );
}

async function openClients() {
  return inBatches(async () => {
    const client: NodeClient = createNodeClient({
      apiKey,
      baseUrl: base,
      streaming: true,
      events: false,
      logger: false,
    });
    const sdk = { client, onChange: () => {} };
    await client.ready();
    client.on('change', () => sdk.onChange());
    // Until its stream is open, too.
    await wait(PAUSE_MS);
    return sdk;
  });
}

async function inBatches<T>(open: () => Promise<T>): Promise<T[]> {
  const all: T[] = [];
  while (all.length < clients) {
    const next = Math.min(BATCH, clients - all.length);
    all.push(...(await Promise.all(Array.from({ length: next }, open))));
  }
  await wait(PAUSE_MS);
  return all;
}

async function processorTime(): Promise<number> {
  const usage = await ask({ kind: 'usage' });
  if (usage.kind !== 'usage') throw new Error('Not a usage.');
  return usage.cpuMicros;
}

async function memory(): Promise<number> {
  const usage = await ask({ kind: 'usage', collect: true });
  if (usage.kind !== 'usage') throw new Error('Not a usage.');
  return usage.rssBytes;
}

function print(name: string, { p50, p99, max, serverMs }: Latencies, remark: string): void {
  const figures = [p50, p99, max].map((ms) => ms.toFixed(1).padStart(7));
  process.stdout.write(
    `${name.padEnd(36)} p50 ${figures[0]} ms  p99 ${figures[1]} ms  last ${figures[2]} ms  server's core ${serverMs.toFixed(0)} ms a toggle  (${remark})\n`,
  );
}
