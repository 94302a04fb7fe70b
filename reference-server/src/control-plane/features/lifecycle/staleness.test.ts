import { afterEach, beforeEach, expect, test } from 'vitest';
import { booleanFlag, PASSWORD, startServer, type TestServer } from '../../../../test/server.ts';
import { createFlagFeatures } from '../../../app/flag-features.ts';
import { ApiError } from '../../../http/errors.ts';
import { createIds } from '../../../storage/ids.ts';
import { createWriteGate } from '../../write-gate/gate.ts';
import type { Guard } from '../../write-gate/guard.ts';
import { readSettings } from '../projects/project-settings.ts';
import { possibleVariations, type StaleCandidate, type StaleConfig, staleReasons } from './staleness.ts';

const DAY = 24 * 60 * 60 * 1000;
const NOW = Date.parse('2026-11-20T10:00:00.000Z');
const POLICY = readSettings('{}').stale_policy;

const config = (more: Partial<StaleConfig> = {}): StaleConfig => ({
  environmentType: 'production',
  enabled: true,
  defaultVariation: 'off',
  rules: [{ conditions: [], variation: 'on' }],
  hasPrerequisites: false,
  updatedAt: NOW - 15 * DAY,
  ...more,
});

const flag = (more: Partial<StaleCandidate> = {}): StaleCandidate => ({
  classification: 'release',
  permanent: false,
  createdAt: NOW - 20 * DAY,
  expectedEndAt: null,
  staleAfterDays: null,
  snoozedUntil: null,
  configs: [],
  lastEvaluatedAt: NOW - DAY,
  servedSince: () => ({ variations: 0, evaluations: 0 }),
  ...more,
});

const ASKS = { attribute: 'a', operator: 'is', value: 'x' } as const;
const rollout = (percentage: number) => ({
  conditions: [],
  percentage_rollout: [{ variation: 'on', percentage }],
});

const reasonsOf = (candidate: StaleCandidate, isReporting = true) =>
  staleReasons(candidate, POLICY, { now: NOW, isReporting });

test.each<[string, Partial<StaleConfig>, readonly string[]]>([
  ['a rule for all', {}, ['on']],
  ['the switch off', { enabled: false }, ['off']],
  ['no rules', { rules: [] }, ['off']],
  ['a rule with conditions', { rules: [{ conditions: [ASKS], variation: 'on' }] }, ['off', 'on']],
  ['a full rollout', { rules: [rollout(100)] }, ['on']],
  ['half a rollout', { rules: [rollout(50)] }, ['off', 'on']],
  ['prerequisites', { hasPrerequisites: true }, ['off', 'on']],
])('knows what can be served with %s', (_name, more, expected) => {
  expect([...possibleVariations(config(more))].sort()).toEqual(expected);
});

test.each<[string, Partial<StaleCandidate>, readonly string[]]>([
  ['rolled out in production for two weeks', { configs: [config()] }, ['fully_rolled_out']],
  ['rolled out yesterday', { configs: [config({ updatedAt: NOW - DAY })] }, []],
  ['off in production', { configs: [config({ enabled: false })] }, []],
  ['rolled out in one of two productions', { configs: [config(), config({ rules: [rollout(50)] })] }, []],
  [
    'still tried in staging, but rolled out in production',
    { configs: [config(), config({ environmentType: 'staging', rules: [rollout(50)] })] },
    ['fully_rolled_out'],
  ],
  [
    'rolled out where there is no production',
    {
      configs: [
        config({ environmentType: 'staging' }),
        config({ environmentType: 'staging', enabled: false }),
      ],
    },
    ['fully_rolled_out'],
  ],
  [
    'served as one variation a hundred times',
    { servedSince: () => ({ variations: 1, evaluations: 100 }) },
    ['single_variation_served'],
  ],
  ['served as one variation too seldom', { servedSince: () => ({ variations: 1, evaluations: 99 }) }, []],
  ['served as two variations', { servedSince: () => ({ variations: 2, evaluations: 1_000 }) }, []],
  [
    'not evaluated for a month',
    { createdAt: NOW - 31 * DAY, lastEvaluatedAt: NOW - 31 * DAY },
    ['not_evaluated'],
  ],
  ['never evaluated, but young', { lastEvaluatedAt: null }, []],
  ['past its expected end', { expectedEndAt: NOW - 1 }, ['past_expected_end']],
  ['older than its class lives', { createdAt: NOW - 41 * DAY }, ['past_expected_end']],
  ['older than migrations live', { classification: 'migration', createdAt: NOW - 41 * DAY }, []],
  ['without a class, however old', { classification: null, createdAt: NOW - 400 * DAY }, []],
  ['permanent', { permanent: true, expectedEndAt: NOW - 1 }, []],
  ['a kill switch', { classification: 'ops_killswitch', expectedEndAt: NOW - 1 }, []],
  ['snoozed', { snoozedUntil: NOW + 1, expectedEndAt: NOW - 1 }, []],
  ['given its own patience', { staleAfterDays: 90, configs: [config()], createdAt: NOW - 41 * DAY }, []],
])('judges a flag that is %s', (_name, more, expected) => {
  expect(reasonsOf(flag(more))).toEqual(expected);
});

test('makes nothing of missing evaluations where nobody reports any', () => {
  const silent = flag({ createdAt: NOW - 31 * DAY, lastEvaluatedAt: null });
  expect(reasonsOf(silent, true)).toEqual(['not_evaluated']);
  expect(reasonsOf(silent, false)).toEqual([]);
});

let server: TestServer;
beforeEach(async () => {
  server = await startServer();
});
afterEach(() => server.close());

/** The job on the test server's database, at a time of its own. */
function jobAt(time: number, guards: readonly Guard[] = []) {
  const now = () => time;
  const newId = createIds(now);
  const gate = createWriteGate({ db: server.db, now, newId, guards, afterCommit: () => {} });
  return createFlagFeatures({ db: server.db, gate, newId, now, onError: () => {} }).staleness;
}

async function create(key: string, more: object = {}) {
  const { body } = await server.call({
    method: 'POST',
    url: `/flags?environment_id=${server.environments.production}`,
    token: server.tokens.editor,
    body: booleanFlag(key, more),
  });
  return body.data.id as string;
}

async function statuses() {
  const rows = await server.db
    .selectFrom('flags')
    .select(['key', 'status', 'stale_reasons_json'])
    .orderBy('key')
    .execute();
  return Object.fromEntries(
    rows.map((row) => [row.key, [row.status, ...JSON.parse(row.stale_reasons_json)]]),
  );
}

async function evaluated(flag_key: string, hour: string) {
  await server.db
    .insertInto('counters_hourly')
    .values({
      organization_id: server.organizationId,
      environment_id: server.environments.production,
      hour,
      flag_key,
      variation_key: 'off',
      reason: 'DEFAULT',
      rule_id: '',
      count: 200,
    })
    .execute();
}

test('marks what has become stale by night, and says why', async () => {
  await create('ended', { expected_end_at: '2026-11-21T00:00:00Z' });
  await create('kill-switch', { expected_end_at: '2026-11-21T00:00:00Z', classification: 'ops_killswitch' });
  await create('constant');
  await create('silent');
  await create('young', { draft: true });
  await evaluated('constant', '2027-01-10T00:00:00.000Z');
  const report = await jobAt(Date.parse('2027-01-11T03:00:00Z')).run();
  expect(report).toEqual({ markedStale: 3, announced: 0, archived: 0, refused: 0 });
  expect(await statuses()).toEqual({
    constant: ['stale', 'single_variation_served'],
    ended: ['stale', 'not_evaluated', 'past_expected_end'],
    'kill-switch': ['active'],
    silent: ['stale', 'not_evaluated'],
    young: ['draft'],
  });
  const { entries, versions } = await after();
  expect(entries).toEqual([
    ['flag.marked_stale', 'system'],
    ['flag.marked_stale', 'system'],
    ['flag.marked_stale', 'system'],
  ]);
  // Nobody has to fetch anything: what is served is the same.
  expect(versions).toEqual([5, 5, 5]);
  expect((await jobAt(Date.parse('2027-01-12T03:00:00Z')).run()).markedStale).toBe(0);
});

async function after() {
  const rows = await server.db
    .selectFrom('audit_entries')
    .select(['action', 'actor_kind'])
    .where('action', 'like', 'flag.%')
    .where('actor_kind', '=', 'system')
    .orderBy('id')
    .execute();
  const versions = await server.db.selectFrom('rulesets').select('version').execute();
  return {
    entries: rows.map((row) => [row.action, row.actor_kind]),
    versions: versions.map((row) => row.version),
  };
}

test('archives stale flags where a project wants it, a fortnight after it said so', async () => {
  const settings = { stale_policy: { auto_archive_after_days: 30 } };
  await server.db
    .updateTable('projects')
    .set({ settings_json: JSON.stringify(settings) })
    .execute();
  const id = await create('leaving');
  await create('used');
  await server.call({
    method: 'POST',
    url: `/flags/${id}/mark-stale?environment_id=${server.environments.production}`,
    token: server.tokens.editor,
    body: {},
  });
  const run = (days: number) => jobAt(NOW + days * DAY).run();
  expect(await run(15)).toMatchObject({ announced: 0, archived: 0 });
  expect(await run(17)).toMatchObject({ announced: 1, archived: 0 });
  expect(await run(30)).toMatchObject({ announced: 0, archived: 0 });
  expect(await run(32)).toMatchObject({ announced: 0, archived: 1 });
  expect(await statuses()).toMatchObject({ leaving: ['archived'], used: ['active'] });
});

test('archives no flag that code names, nor before it was unnamed for as long', async () => {
  const settings = { stale_policy: { auto_archive_after_days: 30 } };
  await server.db
    .updateTable('projects')
    .set({ settings_json: JSON.stringify(settings) })
    .execute();
  const id = await create('named');
  const staging = `environment_id=${server.environments.production}`;
  const send = (method: 'POST' | 'PUT', url: string, body: object) =>
    server.call({ method, url, token: server.tokens.editor, body });
  await send('POST', `/flags/${id}/mark-stale?${staging}`, {});
  const snapshot = { repository: 'r', branch: 'main', revision: '1' };
  const url = `/projects/${server.projectId}/code-references`;
  await send('PUT', url, { ...snapshot, references: [{ flag_key: 'named', path: 'a.ts', line: 1 }] });
  const run = (days: number) => jobAt(NOW + days * DAY).run();
  expect(await run(60)).toMatchObject({ announced: 0, archived: 0 });
  server.advance(20 * DAY);
  const login = await server.call({
    method: 'POST',
    url: '/auth/login',
    body: { email: 'editor@example.com', password: PASSWORD },
  });
  const { access_token: token } = login.body.data;
  await server.call({ method: 'PUT', url, token, body: { ...snapshot, references: [] } });
  expect(await run(35)).toMatchObject({ announced: 0, archived: 0 });
  expect(await run(37)).toMatchObject({ announced: 1, archived: 0 });
  expect(await run(49)).toMatchObject({ announced: 0, archived: 0 });
  expect(await run(52)).toMatchObject({ announced: 0, archived: 1 });
});

test('goes on where a guard refuses one change', async () => {
  await create('frozen', { expected_end_at: '2026-11-21T00:00:00Z' });
  await create('free', { expected_end_at: '2026-11-21T00:00:00Z' });
  const freeze: Guard = {
    name: 'freeze',
    async check(_tx, { plan }) {
      if (plan.resource.key === 'frozen') throw new ApiError('RESOURCE_IN_USE');
      return undefined;
    },
  };
  const report = await jobAt(NOW + 2 * DAY, [freeze]).run();
  expect(report).toMatchObject({ markedStale: 1, refused: 1 });
});

test('goes on with the other projects where one cannot be read, and names that', async () => {
  const first = server.projectId;
  const made = await server.call({
    method: 'POST',
    url: '/projects',
    token: server.tokens.admin,
    body: { key: 'second', name: 'Second' },
  });
  await server.call({
    method: 'POST',
    url: `/flags?environment_id=${made.body.data.default_environment_id}`,
    token: server.tokens.editor,
    body: booleanFlag('ended', { expected_end_at: '2026-11-21T00:00:00Z' }),
  });
  const settings_json = 'this is no JSON';
  await server.db.updateTable('projects').set({ settings_json }).where('id', '=', first).execute();
  await expect(jobAt(NOW + 2 * DAY).run()).rejects.toThrow(`1 of 2 failed: ${first}`);
  expect(await statuses()).toEqual({ ended: ['stale', 'past_expected_end'] });
});

test('is done by the background of the server, at night', async () => {
  await create('ended-by-night', { expected_end_at: '2026-11-20T12:00:00Z' });
  await server.app.runBackground();
  expect(await statuses()).toEqual({ 'ended-by-night': ['active'] });
  server.advance(18 * 60 * 60 * 1000);
  await server.app.runBackground();
  expect(await statuses()).toEqual({ 'ended-by-night': ['stale', 'past_expected_end'] });
});
