import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Api } from '../../../../test/api.ts';
import { codeOf } from '../../../../test/api-call.ts';
import { booleanFlag, startServer, type TestServer } from '../../../../test/server.ts';

const DAY_MS = 24 * 60 * 60 * 1000;
let server: TestServer;
let api: Api;
let environment: string;
let flagId: string;
let apiKey: string;

beforeAll(async () => {
  server = await startServer();
  environment = server.environments.development;
  api = server.as('admin').in(environment);
  flagId = (await api.flags.create(booleanFlag('counted'))).id;
  apiKey = (await api.apiKeys.create(environment, { name: 'k' })).key!;
});
afterAll(() => server.close());

let batches = 0;
/** Reports evaluations as an SDK does. */
async function report(
  daysAgo: number,
  variation_key: string,
  reason: 'TARGETING_RULE' | 'DEFAULT',
  count: number,
) {
  const at = new Date(Date.parse('2026-11-20T09:30:00.000Z') - daysAgo * DAY_MS).toISOString();
  const outcome = { flag_key: 'counted', variation_key, reason, rule_id: null, ruleset_version: 1, count };
  await server.withKey(apiKey).dataPlane.sendEvents({
    batch_id: `batch-${++batches}`,
    sent_at: at,
    sdk: { name: 'test', version: '1' },
    events: [{ type: 'summary', start: at, end: at, counters: [outcome] }],
  });
}

const read = (environmentId = environment) => api.in(environmentId).flags.metrics(flagId);
const readHours = () => api.flags.metrics(flagId, { interval: 'hour' });

test('metrics sum the reported evaluations by day, variation and reason', async () => {
  expect(await read()).toMatchObject({ flag_key: 'counted', total: 0, counts: [] });
  await report(0, 'on', 'TARGETING_RULE', 3);
  await report(0, 'on', 'TARGETING_RULE', 4);
  await report(0, 'off', 'DEFAULT', 1);
  await report(1, 'off', 'DEFAULT', 5);
  expect(await read()).toEqual({
    flag_key: 'counted',
    environment_id: environment,
    since: '2026-10-22T00:00:00.000Z',
    total: 13,
    counts: [
      { date: '2026-11-19', variation_key: 'off', reason: 'DEFAULT', count: 5 },
      { date: '2026-11-20', variation_key: 'off', reason: 'DEFAULT', count: 1 },
      { date: '2026-11-20', variation_key: 'on', reason: 'TARGETING_RULE', count: 7 },
    ],
  });
  expect(await read(server.environments.production)).toMatchObject({ total: 0, counts: [] });
});

test('metrics cover thirty days, including today', async () => {
  const row = {
    organization_id: server.organizationId,
    environment_id: environment,
    flag_key: 'counted',
    variation_key: '',
    reason: 'DEFAULT',
    rule_id: '',
    count: 100,
  };
  const { total } = await read();
  const insert = (hour: string) =>
    server.events
      .insertInto('counters_hourly')
      .values({ ...row, hour })
      .execute();
  await insert('2026-10-21T23:00:00.000Z');
  expect((await read()).total).toBe(total);
  await insert('2026-10-22T00:00:00.000Z');
  const later = await read();
  expect(later.total).toBe(total + 100);
  expect(later.counts[0]).toEqual({
    date: '2026-10-22',
    variation_key: null,
    reason: 'DEFAULT',
    count: 100,
  });
});

test('metrics by hour cover the last 24 hours, including the present one', async () => {
  const { since, counts, total } = await readHours();
  expect(since).toBe('2026-11-19T11:00:00.000Z');
  expect(counts).toEqual([
    { date: '2026-11-20T09:00:00.000Z', variation_key: 'off', reason: 'DEFAULT', count: 1 },
    { date: '2026-11-20T09:00:00.000Z', variation_key: 'on', reason: 'TARGETING_RULE', count: 7 },
  ]);
  expect(total).toBe(8);
});

test('a number of days chooses how far the counts go back', async () => {
  const yesterday = await api.flags.metrics(flagId, { days: 2 });
  expect([yesterday.since, yesterday.total]).toEqual(['2026-11-19T00:00:00.000Z', 13]);
  const hours = await api.flags.metrics(flagId, { interval: 'hour', days: 30 });
  expect(hours.since).toBe('2026-10-21T11:00:00.000Z');
  expect(hours.counts.map(({ date }) => date)).toContain('2026-10-21T23:00:00.000Z');
  for (const days of [0, 31])
    expect(await codeOf(api.flags.metrics(flagId, { days }))).toBe('VALIDATION_ERROR');
});
