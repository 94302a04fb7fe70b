import { encode } from '@msgpack/msgpack';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { ACCELERATION } from './acceleration.ts';
import { ask, type RelayProcess, startRelay } from './relay-process.ts';
import { startUpstream, type UpstreamServer } from './upstream-server.ts';

const isCampaign = process.env['FLAGSVC_TEST_RELAY'] === 'all';
const HOUR_MS = 3_600_000 / ACCELERATION;

let upstream: UpstreamServer;
let relay: RelayProcess;
let keys: Readonly<Record<'server' | 'client' | 'relay', string>>;
beforeAll(async () => {
  if (!isCampaign) return;
  upstream = await startUpstream(2);
  keys = await upstream.createKeys();
});
afterAll(() => upstream?.close());

const counted = async (): Promise<number> => {
  const { id } = await upstream.admin.flags.getByKey('flag-0');
  return (await upstream.admin.flags.metrics(id)).total;
};

/** Sends one evaluation of flag-0 as MessagePack, and each batch twice, as a client does whose answer was lost. */
async function sendEvent(url: string, mode: string, number: number): Promise<number> {
  const at = new Date().toISOString();
  const counter = { flag_key: 'flag-0', variation_key: 'on', reason: 'DEFAULT', rule_id: null };
  const counters = [{ ...counter, ruleset_version: 1, count: 1 }];
  const batch = {
    batch_id: `${mode} ${number}`,
    events: [{ type: 'summary', start: at, end: at, counters }],
  };
  const send = () =>
    fetch(`${url}/sdk/events`, {
      method: 'POST',
      headers: { 'x-api-key': keys.server, 'content-type': 'application/msgpack' },
      body: encode(batch) as Uint8Array<ArrayBuffer>,
    });
  await send();
  return (await send()).status;
}

test.runIf(isCampaign).each(['stream', 'poll'])(
  'answers every request while the server is away for an hour, in the mode %s',
  { timeout: 120_000 },
  async (mode) => {
    relay = await startRelay(
      {
        FLAGSVC_RELAY_UPSTREAM_URL: upstream.url,
        FLAGSVC_RELAY_KEYS: keys.relay,
        FLAGSVC_RELAY_MODE: mode,
      },
      'accelerated-relay.ts',
    );
    try {
      await relay.ready();
      const url = `${relay.url()}/api/v1`;
      const evaluation = { body: { flags: ['*'], context: { user_key: 'u' } } };
      const { headers } = await ask(`${url}/sdk/ruleset`, keys.server);
      const unchanged = { headers: { 'if-none-match': headers.get('etag')! } };
      const statuses = async (): Promise<readonly number[]> =>
        Promise.all([
          ask(`${url}/evaluate`, keys.server, evaluation).then(({ status }) => status),
          ask(`${url}/evaluate`, keys.client, evaluation).then(({ status }) => status),
          ask(`${url}/sdk/ruleset`, keys.server, unchanged).then(({ status }) => status),
          sendEvent(url, mode, sent++),
        ]);
      let sent = 0;
      const before = await counted();
      expect(await statuses()).toEqual([200, 200, 304, 202]);
      await expect.poll(counted, { timeout: 30_000 }).toBe(before + 1);
      await upstream.kill();
      const end = performance.now() + HOUR_MS;
      let rounds = 0;
      const refused: (readonly number[])[] = [];
      for (; performance.now() < end; rounds++) {
        const seen = await statuses();
        if (seen.join() !== '200,200,304,202') refused.push(seen);
      }
      expect(refused).toEqual([]);
      expect(rounds).toBeGreaterThan(100);
      await upstream.start();
      await expect.poll(counted, { timeout: 60_000, interval: 500 }).toBe(before + sent);
    } finally {
      await relay.close();
    }
  },
);
