import { afterAll, beforeAll, expect, test } from 'vitest';
import { booleanFlag, startServer, type TestServer } from '../../../../test/server.ts';

const DAY_MS = 24 * 60 * 60 * 1000;
let server: TestServer;
let environment: string;
let url: string;
let apiKey: string;

beforeAll(async () => {
  server = await startServer();
  environment = server.environments.development;
  const token = server.tokens.admin;
  const post = async (path: string, body: object) =>
    (await server.call({ method: 'POST', url: path, token, body })).body.data;
  const { id } = await post(`/flags?environment_id=${environment}`, booleanFlag('counted'));
  url = `/flags/${id}/metrics?environment_id=`;
  apiKey = (await post(`/environments/${environment}/api-keys`, { name: 'k' })).key;
});
afterAll(() => server.close());

let batches = 0;
async function report(daysAgo: number, variation_key: string | null, reason: string, count: number) {
  const at = new Date(Date.parse('2026-11-20T09:30:00.000Z') - daysAgo * DAY_MS).toISOString();
  const outcome = { flag_key: 'counted', variation_key, reason, rule_id: null, ruleset_version: 1, count };
  const body = {
    batch_id: `batch-${++batches}`,
    sent_at: at,
    sdk: { name: 'test', version: '1' },
    events: [{ type: 'summary', start: at, end: at, counters: [outcome] }],
  };
  const headers = { 'x-api-key': apiKey };
  expect((await server.call({ method: 'POST', url: '/sdk/events', headers, body })).status).toBe(202);
}

const read = async (environmentId = environment) =>
  (await server.call({ url: `${url}${environmentId}`, token: server.tokens.viewer })).body.data;

test('adds up what SDKs have reported, by day, variation and reason', async () => {
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

test('looks back thirty days, today among them', async () => {
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
    server.db
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
