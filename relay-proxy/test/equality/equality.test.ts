import { afterAll, beforeAll, expect, test } from 'vitest';
import { type RelayProcess, startRelay } from '../relay-process.ts';
import { startUpstream, type UpstreamServer } from '../upstream-server.ts';
import { runCampaign } from './campaign.ts';
import { fillProject } from './fill-project.ts';
import type { CallKeys } from './random-call.ts';

/** `npm run fuzz:relay` chooses both. */
const CALLS = Number(process.env['FLAGSVC_CALLS'] ?? 2_000);
const SEED = Number(process.env['FLAGSVC_SEED'] ?? 1);

let upstream: UpstreamServer;
let relay: RelayProcess;
let keys: CallKeys;
beforeAll(async () => {
  upstream = await startUpstream(0);
  expect(await fillProject(upstream.admin, upstream.projectId, SEED)).toBeGreaterThan(15);
  const restricted = await upstream.createKey('client', { allowed_origins: ['https://shop.example.com'] });
  keys = { ...(await upstream.createKeys()), restricted: restricted.key };
  relay = await startRelay({
    FLAGSVC_RELAY_UPSTREAM_URL: upstream.url,
    FLAGSVC_RELAY_KEYS: keys.relay,
    // As in the server: many calls have unknown keys.
    FLAGSVC_RELAY_RATE_LIMITS: 'credentials=10000000',
  });
  await relay.ready();
}, 60_000);
afterAll(async () => {
  await relay?.close();
  await upstream?.close();
});

test(`a relay answers ${CALLS} random calls as its server does`, { timeout: 0 }, async () => {
  const { compared, unanswered, statuses, differences } = await runCampaign({
    server: upstream.url,
    relay: relay.url(),
    ...{ keys, calls: CALLS, firstSeed: SEED },
  });
  const answers = [...statuses].sort().map(([status, count]) => `${count} of ${status}`);
  console.log(`${compared} pairs of answers: ${answers.join(', ')}; ${unanswered} cut off`);
  expect(differences).toEqual([]);
  expect(unanswered).toBeLessThanOrEqual(CALLS / 50);
  // A campaign whose calls are all refused would prove nothing.
  for (const status of [200, 304, 400, 401, 403, 415]) expect([...statuses.keys()]).toContain(status);
  expect(statuses.get(200)).toBeGreaterThan(CALLS / 2);
});
