import { afterEach, beforeEach, expect, test } from 'vitest';
import type { Api } from '../../../../test/api.ts';
import { storeEvaluations } from '../../../../test/evaluations.ts';
import { booleanFlag, enter, type FlagBody, startServer, type TestServer } from '../../../../test/server.ts';
import { projectLookups as lookups } from '../../../app/project-lookups.ts';
import { ApiError } from '../../../http/errors.ts';
import { createIds } from '../../../storage/ids.ts';
import { createWriteGate } from '../../write-gate/gate.ts';
import type { Guard } from '../../write-gate/guard.ts';
import { lastCodeReferences } from '../code-references/code-reference-store.ts';
import { createEventStore } from '../events/store/create-event-store.ts';
import { listStates } from '../flags/flag-store.ts';
import { createStalenessJob } from './staleness-job.ts';

const DAY = 24 * 60 * 60 * 1000;
const NOW = Date.parse('2026-11-20T10:00:00.000Z');

let server: TestServer;
let api: Api;
beforeEach(async () => {
  server = await startServer();
  api = server.as('editor');
});
afterEach(() => server.close());

/** The job on the test server's database, with a clock of its own. */
function jobAt(time: number, guards: readonly Guard[] = []) {
  const now = () => time;
  const newId = createIds(now);
  const gate = createWriteGate({ db: server.db, now, newId, guards, afterCommit: () => {} });
  return createStalenessJob({
    db: server.db,
    gate,
    now,
    lookups,
    listStates,
    lastCodeReferences,
    events: createEventStore({ db: server.events, now }),
  });
}

const create = async (key: string, more: Partial<FlagBody> = {}) =>
  (await api.flags.create(booleanFlag(key, more))).id;

/** Status and stale reasons by flag. */
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

/** Stores 200 evaluations. */
async function evaluated(flag_key: string, hour: string) {
  await storeEvaluations(server, [
    {
      organization_id: server.organizationId,
      environment_id: server.environments.production,
      hour,
      flag_key,
      variation_key: 'off',
      reason: 'DEFAULT',
      rule_id: '',
      count: 200,
    },
  ]);
}

test('the nightly job marks stale flags, with the reasons', async () => {
  await create('ended', { expected_end_at: '2026-11-21T00:00:00Z' });
  await create('kill-switch', { expected_end_at: '2026-11-21T00:00:00Z', classification: 'ops_killswitch' });
  await create('constant');
  await create('silent');
  await create('young', { draft: true });
  await evaluated('constant', '2027-01-10T00:00:00.000Z');
  const report = await jobAt(Date.parse('2027-01-11T03:00:00Z')).run();
  expect(report).toEqual({ markedStale: 3, noticed: 0, archived: 0, refused: 0 });
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
  // The rulesets stay the same, and so do their versions.
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

test('stale flags are archived two weeks after a notice, if the project enables that', async () => {
  const settings = { stale_policy: { auto_archive_after_days: 30 } };
  await server.db
    .updateTable('projects')
    .set({ settings_json: JSON.stringify(settings) })
    .execute();
  const id = await create('leaving');
  await create('used');
  await api.flags.markStale(id);
  const run = (days: number) => jobAt(NOW + days * DAY).run();
  expect(await run(15)).toMatchObject({ noticed: 0, archived: 0 });
  expect(await run(17)).toMatchObject({ noticed: 1, archived: 0 });
  expect(await run(30)).toMatchObject({ noticed: 0, archived: 0 });
  expect(await run(32)).toMatchObject({ noticed: 0, archived: 1 });
  expect(await statuses()).toMatchObject({ leaving: ['archived'], used: ['active'] });
});

test('a flag that code mentions or recently mentioned is not archived', async () => {
  const settings = { stale_policy: { auto_archive_after_days: 30 } };
  await server.db
    .updateTable('projects')
    .set({ settings_json: JSON.stringify(settings) })
    .execute();
  const id = await create('named');
  await api.flags.markStale(id);
  const snapshot = { repository: 'r', branch: 'main', revision: '1' };
  const references = [{ flag_key: 'named', path: 'a.ts', line: 1 }];
  await api.codeReferences.put(server.projectId, { ...snapshot, references });
  const run = (days: number) => jobAt(NOW + days * DAY).run();
  expect(await run(60)).toMatchObject({ noticed: 0, archived: 0 });
  server.advance(20 * DAY);
  const { accessToken } = await enter(server, 'editor@example.com');
  const later = server.withToken(accessToken);
  await later.codeReferences.put(server.projectId, { ...snapshot, references: [] });
  expect(await run(35)).toMatchObject({ noticed: 0, archived: 0 });
  expect(await run(37)).toMatchObject({ noticed: 1, archived: 0 });
  expect(await run(49)).toMatchObject({ noticed: 0, archived: 0 });
  expect(await run(52)).toMatchObject({ noticed: 0, archived: 1 });
});

test('the job continues when a guard refuses one change', async () => {
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

test('the job continues with other projects when one cannot be read, and names it in the error', async () => {
  const first = server.projectId;
  const second = await server.as('admin').projects.create({ key: 'second', name: 'Second' });
  const flag = booleanFlag('ended', { expected_end_at: '2026-11-21T00:00:00Z' });
  await api.in(second.default_environment_id!).flags.create(flag);
  const settings_json = 'not JSON';
  await server.db.updateTable('projects').set({ settings_json }).where('id', '=', first).execute();
  await expect(jobAt(NOW + 2 * DAY).run()).rejects.toThrow(`1 of 2 failed: ${first}`);
  expect(await statuses()).toEqual({ ended: ['stale', 'past_expected_end'] });
});

test('the server runs the job every night', async () => {
  await create('ended-by-night', { expected_end_at: '2026-11-20T12:00:00Z' });
  await server.app.runBackground();
  expect(await statuses()).toEqual({ 'ended-by-night': ['active'] });
  server.advance(18 * 60 * 60 * 1000);
  await server.app.runBackground();
  expect(await statuses()).toEqual({ 'ended-by-night': ['stale', 'past_expected_end'] });
});
