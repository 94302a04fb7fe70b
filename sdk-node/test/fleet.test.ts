/** A simulated fleet of streams: its server is killed repeatedly, and reconnects do not overload it. */
import {
  createClient,
  createLocalSource,
  createRequestScheduler,
  type FetchLike,
} from '@flagsvc/sdk-core/client';
import { createStream } from '@flagsvc/sdk-core/stream';
import { createTestPorts, createTestRuleset } from '@flagsvc/sdk-core/testing';
import { createParser } from 'eventsource-parser';
import { expect, test } from 'vitest';

const FLEET = Number(process.env['FLAGSVC_FLEET'] ?? 300);
const KILLS = 10;
const BETWEEN_MS = 60_000;
const TAG = '"v1"';
const NEWS = `event: ruleset.updated\ndata: ${JSON.stringify({ version: 1, etag: TAG, refetch_within_ms: 0 })}\n\n`;

/** Requests after each kill. */
interface Log {
  /** Stream requests by second after a kill, summed over all kills. */
  readonly streams: Map<number, number>;
  /** Conditional fetches by second after a kill; they are cheap. */
  readonly polls: Map<number, number>;
  /** Time from the kill until the last client reconnected. */
  lastMs: number;
}

/** Runs one client; the server is down for some time after each kill. */
const live = async (seed: number, downMs: number, log: Log) => {
  const { clock, server, config } = createTestPorts({ seed });
  const data = createTestRuleset({ greeting: 'v1' });
  server.script('/sdk/ruleset', { headers: { etag: TAG }, body: { data } }, { status: 304 });
  let breakStream: (() => void) | undefined;
  const killed = () => Math.floor(clock.monotonic() / BETWEEN_MS);
  const sinceMs = () => clock.monotonic() % BETWEEN_MS;

  const openStream = () => {
    let sent = false;
    const bytes = (text: string) => ({ done: false, value: new TextEncoder().encode(text) });
    const read = () =>
      new Promise<ReturnType<typeof bytes>>((resolve, reject) => {
        breakStream = () => reject(new TypeError('reset'));
        if (sent) clock.setTimer(() => resolve(bytes(': beats\n\n')), 15_000);
        else resolve(bytes(NEWS));
        sent = true;
      });
    if (killed() > 0) log.lastMs = Math.max(log.lastMs, sinceMs());
    return {
      status: 200,
      headers: { get: (name: string) => (name === 'content-type' ? 'text/event-stream' : null) },
      text: async () => '',
      body: { getReader: () => ({ read, cancel: async () => {} }) },
    };
  };
  const fetch: FetchLike = async (url, init) => {
    if (killed() > 0) {
      if (sinceMs() < downMs) throw Object.assign(new TypeError(), { cause: { code: 'ECONNREFUSED' } });
      const counts = url.includes('/sdk/stream') ? log.streams : log.polls;
      const second = Math.floor(sinceMs() / 1000);
      counts.set(second, (counts.get(second) ?? 0) + 1);
    }
    return url.includes('/sdk/stream') ? openStream() : server.fetch(url, init);
  };
  const simulated = config({ events: false }, { fetch });
  const stream = createStream(
    { ...simulated, createRequestScheduler },
    {
      createParser,
      newDecoder: () => new TextDecoder(),
    },
  );
  const connect = (handles: Parameters<typeof stream.connect>[0]) => {
    stream.connect(handles);
    return stream.disconnect;
  };
  const client = createClient({ ...simulated, connect }, createLocalSource()).client;
  for (let kill = 0; kill <= KILLS; kill++) {
    await clock.advance(BETWEEN_MS - sinceMs());
    expect(breakStream).toBeDefined();
    expect(client.status()).toBe('ready');
    breakStream!();
    breakStream = undefined;
  }
  await client.close({ timeoutMs: 0 });
};

test.each([0, 2000, 10_000, 20_000])(
  'after an outage of %i ms, at most 15 % of a fleet reconnect in any second, on average over ten outages',
  { timeout: 300_000 },
  async (downMs) => {
    const log: Log = { streams: new Map(), polls: new Map(), lastMs: 0 };
    for (let seed = 1; seed <= FLEET; seed++) await live(seed, downMs, log);
    const most = (counts: Map<number, number>) => Math.max(0, ...counts.values()) / FLEET / KILLS;
    const percent = (share: number) => `${(share * 100).toFixed(1)} %`;
    const backMs = log.lastMs - downMs;
    console.log(
      `${FLEET} streams, down for ${downMs} ms: in any second, at most ${percent(most(log.streams))} of the fleet reconnect and ${percent(most(log.polls))} poll; all are back after ${(backMs / 1000).toFixed(1)} s`,
    );
    expect(backMs).toBeLessThanOrEqual(30_000);
    expect(most(log.streams)).toBeLessThanOrEqual(0.15);
  },
);
