import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Api } from '../../../../test/api.ts';
import { codeOf } from '../../../../test/api-call.ts';
import { storeEvaluations } from '../../../../test/evaluations.ts';
import { booleanFlag, startServer, type TestServer } from '../../../../test/server.ts';
import { addTenant } from '../../../../test/tenant.ts';

let server: TestServer;
let api: Api;
let me: string;
let production: string;

const forAll = { priority: 1, name: 'all', conditions: [] };
const share = (on: number) => ({
  targeting_rules: [{ ...forAll, percentage_rollout: [{ variation: 'on', percentage: on }] }],
});

const units = (more: object) => ({
  targeting_rules: [
    {
      ...forAll,
      percentage_rollout: [{ variation: 'on', percentage: 100 }],
      bucketing: {
        revision: 3,
        salt: 'exp',
        by: 'user_key',
        ranges: [{ variation: 'on', from: 0, to: 10_000 }],
        ...more,
      },
    },
  ],
});

beforeAll(async () => {
  server = await startServer();
  production = server.environments.production;
  api = server.as('editor');
  me = (await api.auth.me()).id;
  const make = async (key: string, more: object = {}, update?: object) => {
    const { id } = await api.flags.create({ ...booleanFlag(key), owner_id: null, ...more });
    if (update !== undefined) {
      await api.unchecked.flags.update(id, update);
      await api.flags.toggle(id, true);
    }
    return id;
  };
  await make('plain', { name: 'Zebra', tags: ['ui'], owner_id: me });
  await make('one-value', { name: 'apple' }, { targeting_rules: [{ ...forAll, variation: 'on' }] });
  await make('half', { name: 'Mango' }, share(50));
  await make('whole', {}, share(100));
  await make('gated', {}, units({ gates: [{ salt: 'holdout', from: 0, to: 30 }] }));
  await make('by-company', {}, units({ by: 'company_id' }));
  await make('all-units', {}, units({}));
  await make('nearly-all', {}, units({ ranges: [{ variation: 'on', from: 0, to: 9_990 }] }));
  await make(
    'ruled',
    { classification: 'ops_killswitch' },
    {
      targeting_rules: [
        {
          priority: 1,
          name: 'pro',
          conditions: [{ attribute: 'plan', operator: 'one_of', value: ['pro'] }],
          variation: 'on',
        },
        { ...forAll, priority: 2, variation: 'off' },
      ],
    },
  );
  await make(
    'needy',
    {},
    {
      ...share(20),
      prerequisites: [{ flag_key: 'whole', variation: 'on' }],
    },
  );
  await api.flags.markStale(await make('old', { flag_type: 'boolean', owner_id: me }));
  await api.flags.archive(await make('gone'));
  await api.in(server.environments.staging).flags.toggle(await make('staged'), true);
});
afterAll(() => server.close());

const list = (query: object = {}) => api.unchecked.projects.listFlags(server.projectId, query);
const keys = async (query: object) => (await list({ sort: 'key', ...query })).map(({ key }) => key);

test('lists each flag once, with its state in every environment by position', async () => {
  const [flag] = await list({ search: 'zebra' });
  expect(flag).toMatchObject({
    key: 'plain',
    name: 'Zebra',
    flag_type: 'boolean',
    status: 'active',
    tags: ['ui'],
    owner: { id: me, email: 'editor@example.com' },
    stale_reasons: [],
    last_evaluated_at: null,
  });
  expect(flag!.environments.map(({ environment_key, state }) => [environment_key, state])).toEqual([
    ['development', 'off'],
    ['staging', 'off'],
    ['production', 'off'],
  ]);
  expect(flag).not.toHaveProperty('evaluations');
  const { body } = await list().answer;
  expect(body.meta).toEqual({ page: 1, per_page: 50, total: 12, next_cursor: null });
});

test('summarizes what each flag serves in an environment', async () => {
  const flags = await list();
  const of = (key: string, environmentId = production) =>
    flags
      .find((flag) => flag.key === key)!
      .environments.find(({ environment_id }) => environment_id === environmentId);
  expect(of('plain')).toMatchObject({ enabled: false, state: 'off', variation: 'off', rules_count: 0 });
  expect(of('one-value')).toMatchObject({ enabled: true, state: 'on', variation: 'on', rules_count: 1 });
  expect(of('whole')).toMatchObject({ state: 'on', variation: 'on', percentage: null, rollout: [] });
  expect(of('half')).toMatchObject({
    state: 'share',
    variation: 'on',
    percentage: 50,
    rollout: [{ variation: 'on', percentage: 50 }],
    default_variation: 'off',
  });
  expect(of('gated')).toMatchObject({ state: 'share', variation: 'on', percentage: 1 });
  expect(of('by-company')).toMatchObject({ state: 'share', variation: 'on', percentage: 100 });
  expect(of('all-units')).toMatchObject({ state: 'on', variation: 'on', percentage: null });
  expect(of('nearly-all')).toMatchObject({ state: 'share', percentage: 99 });
  expect(of('ruled')).toMatchObject({ state: 'rules', variation: null, rules_count: 2 });
  expect(of('needy')).toMatchObject({
    state: 'rules',
    variation: null,
    rollout: [{ variation: 'on', percentage: 20 }],
    prerequisites_count: 1,
  });
  expect(of('staged', server.environments.staging)).toMatchObject({ state: 'on', variation: 'off' });
});

test('the database and the summary agree on the state of each flag in each environment', async () => {
  const flags = await list({ status: 'draft,active,stale,archived' });
  for (const environment_id of Object.values(server.environments))
    for (const state of ['off', 'on', 'share', 'rules']) {
      const found = await keys({ state, environment_id, status: 'draft,active,stale,archived' });
      const summarized = flags.filter(({ environments }) =>
        environments.some((one) => one.environment_id === environment_id && one.state === state),
      );
      expect(found).toEqual(summarized.map(({ key }) => key).sort());
    }
});

describe('filters', () => {
  test.each<[object, string[]]>([
    [{ search: 'PLAIN' }, ['plain']],
    [{ search: 'ma' }, ['half']],
    [{ search: 'one val' }, ['one-value']],
    [{ tag: 'ui' }, ['plain']],
    [{ status: 'archived' }, ['gone']],
    [{ status: 'archived,stale' }, ['gone', 'old']],
    [{ flag_type: 'string,json' }, []],
    [{ classification: 'release,ops_killswitch' }, ['ruled']],
    [{ owner_id: 'me' }, ['old', 'plain']],
    [{ owner_id: 'usr_nobody' }, []],
    [{ stale_reason: 'manual,not_evaluated' }, ['old']],
    [{ state: 'share' }, ['by-company', 'gated', 'half', 'nearly-all']],
    [{ state: 'rules,share' }, ['by-company', 'gated', 'half', 'nearly-all', 'needy', 'ruled']],
    [{ state: 'on' }, ['all-units', 'one-value', 'staged', 'whole']],
    [{ changed_since: '2999-01-01T00:00:00Z' }, []],
    [{ changed_since: '2000-01-01T00:00:00Z', tag: 'ui' }, ['plain']],
  ])('%o', async (query, expected) => {
    const { body } = await list({ sort: 'key', ...query }).answer;
    expect(body.data.map(({ key }) => key)).toEqual(expected);
    expect(body.meta.total).toBe(expected.length);
  });

  test('a state can apply to one environment', async () => {
    const { staging } = server.environments;
    expect(await keys({ state: 'on', environment_id: staging })).toEqual(['staged']);
    expect(await keys({ state: 'off', environment_id: staging })).not.toContain('staged');
    const other = await api.projects.create({ key: 'other', name: 'Other' });
    const environment_id = other.default_environment_id!;
    expect(await codeOf(list({ state: 'on', environment_id }))).toBe('ENVIRONMENT_NOT_FOUND');
  });

  test.each(['status', 'flag_type', 'classification', 'stale_reason', 'state'])(
    'an unknown name in %s is refused with the names that are allowed',
    async (field) => {
      const { status, body } = await list({ [field]: 'active,nonsense' }).answer;
      expect(status).toBe(400);
      expect((body as unknown as { error: { details: object } }).error.details).toMatchObject({
        fields: [
          { field, location: 'query', code: 'enum', message: expect.stringMatching(/list of these: /) },
        ],
      });
    },
  );
});

describe('order', () => {
  test('names are sorted without regard to case, and the last change first by default', async () => {
    const names = (await list({ sort: 'name' })).map(({ name }) => name.toLowerCase());
    expect(names).toEqual([...names].sort());
    expect((await list())[0]!.key).toBe('staged');
    const times = (await list({ order: 'asc' })).map((flag) => flag.updated_at);
    expect(times).toEqual([...times].sort());
  });

  test.each(['name', 'key', 'created_at', 'updated_at', 'last_evaluated_at'])(
    'cursors page by %s in both directions without gaps',
    async (sort) => {
      for (const order of ['asc', 'desc']) {
        const whole = (await list({ sort, order })).map(({ key }) => key);
        expect(whole).toHaveLength(12);
        const seen: string[] = [];
        let cursor: string | null | undefined;
        do {
          const { body } = await list({ sort, order, per_page: 3, cursor: cursor ?? undefined }).answer;
          seen.push(...body.data.map(({ key }) => key));
          expect(body.meta.total).toBe(12);
          cursor = body.meta.next_cursor;
        } while (cursor !== null);
        expect(seen).toEqual(whole);
        expect(await keys({ sort, order, per_page: 3, page: 2 })).toEqual(whole.slice(3, 6));
      }
    },
  );

  test.each(['x', 'bnVsbA', Buffer.from('["key","asc",1,2]').toString('base64url')])(
    'a damaged cursor is refused: %s',
    async (cursor) => {
      expect(await codeOf(list({ sort: 'key', cursor }))).toBe('VALIDATION_ERROR');
    },
  );

  test('a cursor of another order is refused', async () => {
    const { body } = await list({ sort: 'name', per_page: 1 }).answer;
    const { next_cursor } = body.meta;
    expect(await codeOf(list({ sort: 'key', cursor: next_cursor }))).toBe('VALIDATION_ERROR');
  });

  test('a cursor with characters that no text in the database has leads to a page', async () => {
    const cursor = Buffer.from(JSON.stringify(['name', 'asc', '\0\ud800', '\0'])).toString('base64url');
    expect((await list({ sort: 'name', cursor }).answer).status).toBe(200);
  });
});

test('adds the evaluations of the last 24 hours on request', async () => {
  const counted = (hour: string, environment_id: string, count: number) => ({
    organization_id: server.organizationId,
    environment_id,
    hour,
    flag_key: 'half',
    variation_key: 'on',
    reason: 'TARGETING_RULE',
    rule_id: 'r',
    count,
  });
  const { development } = server.environments;
  const rows = [
    counted('2026-11-19T10:00:00.000Z', production, 100),
    counted('2026-11-19T11:00:00.000Z', production, 1),
    counted('2026-11-20T10:00:00.000Z', production, 3),
    counted('2026-11-20T10:00:00.000Z', development, 4),
    counted('2026-11-20T11:00:00.000Z', development, 5),
  ];
  await storeEvaluations(server, rows);
  const flags = await list({ include: 'evaluations', sort: 'last_evaluated_at' });
  expect(flags[0]).toMatchObject({ key: 'half', last_evaluated_at: '2026-11-20T11:00:00.000Z' });
  const byHour = [1, ...Array(22).fill(0), 12];
  expect(flags[0]!.evaluations).toEqual({ total: 13, by_hour: byHour });
  expect(flags[1]!.evaluations).toEqual({ total: 0, by_hour: Array(24).fill(0) });
});

test('counts the flags of each view', async () => {
  const views = (query: object = {}) => api.unchecked.projects.flagViews(server.projectId, query);
  expect(await views()).toEqual({
    all: 12,
    mine: 2,
    changed: 12,
    stale: 1,
    stale_mine: 1,
    kill_switches: 1,
    partly_rolled_out: 4,
  });
  expect(await views({ changed_since: '2999-01-01T00:00:00Z' })).toMatchObject({ all: 12, changed: 0 });
  expect(await server.as('viewer').projects.flagViews(server.projectId, {})).toMatchObject({
    all: 12,
    mine: 0,
  });
});

test('other tenants cannot read the list', async () => {
  const stranger = server.withToken((await addTenant(server)).token);
  expect(await codeOf(stranger.projects.listFlags(server.projectId, {}))).toBe('PROJECT_NOT_FOUND');
  expect(await codeOf(stranger.projects.flagViews(server.projectId, {}))).toBe('PROJECT_NOT_FOUND');
});
