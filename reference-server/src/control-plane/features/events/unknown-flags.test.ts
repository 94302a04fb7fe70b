import { afterEach, beforeEach, expect, test } from 'vitest';
import { codeOf } from '../../../../test/api-call.ts';
import { storeEvaluations } from '../../../../test/evaluations.ts';
import { booleanFlag, startServer, type TestServer } from '../../../../test/server.ts';
import { addTenant } from '../../../../test/tenant.ts';

let server: TestServer;
beforeEach(async () => {
  server = await startServer();
});
afterEach(() => server.close());

const counted = (flag_key: string, hour: string, count: number) => ({
  organization_id: server.organizationId,
  environment_id: server.environments.production,
  hour,
  flag_key,
  variation_key: '',
  reason: 'FLAG_NOT_FOUND',
  rule_id: '',
  count,
});
const list = (environment = server.environments.production) =>
  server.as('viewer').environments.unknownFlags(environment, {});

test('keys that SDKs ask for are listed unless a flag has them, most used first', async () => {
  const api = server.as('admin');
  await api.flags.create(booleanFlag('known'));
  const { id } = await api.flags.create(booleanFlag('old'));
  await api.flags.archive(id);
  await storeEvaluations(server, [
    counted('known', '2026-11-20T09:00:00.000Z', 100),
    counted('old', '2026-11-20T09:00:00.000Z', 100),
    counted('typo', '2026-11-20T09:00:00.000Z', 2),
    counted('typo', '2026-11-19T07:00:00.000Z', 3),
    counted('gone', '2026-11-18T07:00:00.000Z', 9),
    counted('long ago', '2026-10-20T07:00:00.000Z', 9),
  ]);
  expect(await list()).toEqual([
    {
      flag_key: 'gone',
      count: 9,
      first_seen_at: '2026-11-18T07:00:00.000Z',
      last_seen_at: '2026-11-18T07:00:00.000Z',
    },
    {
      flag_key: 'typo',
      count: 5,
      first_seen_at: '2026-11-19T07:00:00.000Z',
      last_seen_at: '2026-11-20T09:00:00.000Z',
    },
  ]);
  expect(await list(server.environments.development)).toEqual([]);
  await api.flags.create(booleanFlag('typo'));
  expect((await list()).map(({ flag_key }) => flag_key)).toEqual(['gone']);
});

test('at most 200 keys are listed, and other tenants see none', async () => {
  const keys = Array.from({ length: 210 }, (_, index) => `invented-${String(index).padStart(3, '0')}`);
  await storeEvaluations(
    server,
    keys.map((key, index) => counted(key, '2026-11-20T09:00:00.000Z', 1_000 - index)),
  );
  const { unknownFlags } = server.as('viewer').environments;
  const found = await unknownFlags(server.environments.production, { per_page: 200 });
  expect(found.map(({ flag_key }) => flag_key)).toEqual(keys.slice(0, 200));
  const stranger = server.withToken((await addTenant(server)).token);
  const call = stranger.environments.unknownFlags(server.environments.production, {});
  expect(await codeOf(call)).toBe('ENVIRONMENT_NOT_FOUND');
});
