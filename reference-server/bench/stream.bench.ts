/**
 * Measures how fast a change reaches streaming clients, on loopback: from sending a toggle to the last byte at each
 * stream, and to the moment at which SDK clients serve the new value. Three processes share the machine's cores: the
 * server, bare streams (`stream-crowd.ts`), and this process with some sdk-node clients, opened last so that the server
 * notifies them last. With `--alone`, all streams are sdk-node clients in this process, and their own work dominates.
 * Exits with 1 when a goal is missed.
 *
 *     node --conditions=@flagsvc/source reference-server/bench/stream.bench.ts [--clients 1000] [--sdks 20] [--toggles 20] [--alone]
 */

import { fork } from 'node:child_process';
import { on } from 'node:events';
import { setTimeout as wait } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { createNodeClient, type NodeClient } from '@flagsvc/sdk-node';
import { startServer } from './start-server.ts';
import { type CrowdReply, type CrowdRequest, now } from './stream-crowd.ts';
import { createToggle } from './toggle.ts';

const GOAL_STREAM_BYTES = 15 * 1024;
/** Clients opened at a time, fewer than the listening socket's backlog. */
const BATCH = 50;
const PAUSE_MS = 300;
const TIMEOUT_MS = 10_000;

const { values } = parseArgs({
  options: {
    clients: { type: 'string', default: '1000' },
    sdks: { type: 'string', default: '20' },
    toggles: { type: 'string', default: '20' },
    alone: { type: 'boolean', default: false },
  },
});
const clients = Number(values.clients);
const toggles = Number(values.toggles);
const sdkCount = values.alone ? clients : Math.min(clients, Number(values.sdks));
const crowdCount = clients - sdkCount;
const goalMs = clients > 1_000 ? 200 : 100;

const server = await startServer({ setup: { flags: 10 } });
const { port, apiKey } = server;
const base = `http://127.0.0.1:${port}/api/v1`;
const toggle = await createToggle(base);

// The first request compiles the ruleset. The memory that this takes must not be attributed to the streams.
await (await fetch(`${base}/sdk/ruleset`, { headers: { 'x-api-key': apiKey } })).text();
const before = await memory();
const crowd = crowdCount > 0 ? await openCrowd() : undefined;
const streamBytes = ((await memory()) - before) / crowdCount;
const sdks = await openClients();
await wait(PAUSE_MS);

const received: number[] = [];
const served: number[] = [];
const cpuBefore = await processorTime();
for (let round = 0; round <= toggles; round++) {
  const arrivals = crowd?.next();
  let missing = sdkCount;
  const times: number[] = [];
  const changed = new Promise<void>((resolve) => {
    for (const sdk of sdks) {
      sdk.onChange = () => {
        times.push(now());
        missing -= 1;
        if (missing === 0) resolve();
      };
    }
  });
  const sentAt = now();
  await toggle.switch();
  const at = await within(arrivals, () => 'Not all bare streams received a toggle.');
  await within(sdkCount > 0 ? changed : undefined, () => `${missing} clients do not serve a toggle yet.`);
  await wait(PAUSE_MS);
  // The first round only warms up.
  if (round === 0) continue;
  received.push(...(at ?? []).map((time) => time - sentAt));
  served.push(...times.map((time) => time - sentAt));
}
const serverMs = ((await processorTime()) - cpuBefore) / 1_000 / (toggles + 1);

let isMissed = false;
if (crowdCount > 0) print(`${crowdCount} bare streams have received the toggle`, received, goalMs);
if (sdkCount > 0)
  print(`${sdkCount} sdk-node clients serve the new value`, served, values.alone ? undefined : goalMs);
process.stdout.write(
  `${clients} streams in total; a toggle and its delivery cost the server ${serverMs.toFixed(0)} ms of processor time\n`,
);
if (crowdCount > 0) {
  const isTooLarge = streamBytes > GOAL_STREAM_BYTES;
  isMissed ||= isTooLarge;
  process.stdout.write(
    `a stream costs the server ${(streamBytes / 1024).toFixed(1)} KiB of memory (goal <= ${GOAL_STREAM_BYTES / 1024}${isTooLarge ? ', MISSED' : ''})\n`,
  );
}
await Promise.all(sdks.map(({ client }) => client.close({ timeoutMs: 0 })));
process.exit(isMissed ? 1 : 0);

async function within<T>(work: Promise<T> | undefined, message: () => string): Promise<T | undefined> {
  const timer = new AbortController();
  const late = wait(TIMEOUT_MS, undefined, { signal: timer.signal }).then(
    () => Promise.reject(new Error(message())),
    () => undefined,
  );
  const result = await Promise.race([work, late]);
  timer.abort();
  return result;
}

/** Opens the bare streams. `next` resolves when the next change has reached all of them. */
async function openCrowd(): Promise<{ next(): Promise<readonly number[]> }> {
  const child = fork(fileURLToPath(new URL('./stream-crowd.ts', import.meta.url)), ['crowd'], {
    execArgv: ['--conditions=@flagsvc/source'],
  });
  const replies = on(child, 'message') as AsyncIterator<[CrowdReply]>;
  child.send({ port, apiKey, streams: crowdCount } satisfies CrowdRequest);
  await replies.next();
  return {
    async next() {
      const { value } = await replies.next();
      const [reply] = value as [CrowdReply];
      return reply.kind === 'arrived' ? reply.at : [];
    },
  };
}

async function openClients() {
  const all: { readonly client: NodeClient; onChange: () => void }[] = [];
  const open = async (): Promise<void> => {
    const client = createNodeClient({
      apiKey,
      baseUrl: base,
      streaming: true,
      events: false,
      logger: false,
    });
    const sdk = { client, onChange: () => {} };
    await client.ready();
    client.on('change', () => sdk.onChange());
    all.push(sdk);
    // Gives the client's stream time to open.
    await wait(PAUSE_MS);
  };
  while (all.length < sdkCount) {
    await Promise.all(Array.from({ length: Math.min(BATCH, sdkCount - all.length) }, open));
  }
  return all;
}

async function processorTime(): Promise<number> {
  return (await server.usage()).cpuMicros;
}

async function memory(): Promise<number> {
  return (await server.usage({ collect: true })).rssBytes;
}

function print(name: string, times: number[], goal: number | undefined): void {
  times.sort((left, right) => left - right);
  const at = (share: number): string =>
    times[Math.max(0, Math.ceil(times.length * share) - 1)]!.toFixed(1).padStart(7);
  const p99 = Number(at(0.99));
  const verdict =
    goal === undefined
      ? 'no goal: all streams in one process'
      : `goal p99 <= ${goal} ms${p99 > goal ? ', MISSED' : ''}`;
  if (goal !== undefined && p99 > goal) isMissed = true;
  process.stdout.write(
    `${name.padEnd(34)} p50 ${at(0.5)} ms  p99 ${at(0.99)} ms  last ${at(1)} ms  (${verdict})\n`,
  );
}
