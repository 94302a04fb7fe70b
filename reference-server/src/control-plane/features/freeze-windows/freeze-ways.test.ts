import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import type { Api } from '../../../../test/api.ts';
import { refused } from '../../../../test/api-call.ts';
import { FREEZE_WAYS, type Frozen } from '../../../../test/endpoints/freeze-ways.ts';
import { booleanFlag, enter, PASSWORD, startServer, type TestServer } from '../../../../test/server.ts';

/** Tries every operation that can change a ruleset, listed in freeze-ways.ts, during a freeze window. */

let server: TestServer;
let api: Api;
/** Calls the API as the admin who reviews break-glass sessions. */
let second: Api;
let frozen: Frozen;
let projects = 0;
/** The start of the window, after the preparations of the test. */
let startsAt: string;

beforeAll(async () => {
  server = await startServer();
  api = server.as('admin');
  const other = await enter(server, 'second@example.com');
  await server.db.updateTable('memberships').set({ role: 'admin' }).where('user_id', '=', other.id).execute();
  second = other.api;
});
afterAll(() => server.close());

/** Each test has its own project. */
beforeEach(async () => {
  await api.auth.reauthenticate({ password: PASSWORD });
  projects += 1;
  const projectKey = `project-${projects}`;
  const { id: projectId } = await api.projects.create({ key: projectKey, name: 'P' });
  const environments = await api.environments.listOf(projectId);
  const idOf = (type: string) => environments.find((environment) => environment.type === type)!.id;
  const environmentId = idOf('production');
  const inProduction = api.in(environmentId);
  const flag = await inProduction.flags.create(booleanFlag('checkout'));
  const segment = await api.segments.create(projectId, { key: 'staff', conditions: [] });
  startsAt = new Date(Date.parse(flag.updated_at) + 60_000).toISOString();
  frozen = {
    api: inProduction,
    flagId: flag.id,
    environmentId,
    developmentId: idOf('development'),
    segmentId: segment.id,
    projectId,
    projectKey,
  };
});

const freeze = () =>
  api.freezeWindows.create({
    name: 'Black Friday',
    scope: { environment_types: ['production'], project_ids: [frozen.projectId] },
    starts_at: startsAt,
    ends_at: '2026-11-30T23:59:00Z',
  });

/** Prepares a change, lets the window begin, and returns the call that makes the change. */
async function prepare(name: string) {
  const change = await FREEZE_WAYS[name]!(frozen);
  server.advance(60_000);
  return change;
}

/** Every ruleset version, and every row that a change could write. */
async function readState() {
  const versions = await server.db
    .selectFrom('rulesets')
    .select(['environment_id', 'version'])
    .orderBy('environment_id')
    .execute();
  const rows = await Promise.all(
    (['flags', 'flag_environments', 'segments', 'environments', 'projects'] as const).map((table) =>
      server.db.selectFrom(table).selectAll().execute(),
    ),
  );
  return { versions, rows };
}

/** The audit entries of a break-glass session, oldest first. */
const entriesUnder = async (break_glass: string) =>
  [...(await api.audit.list({ per_page: 200, break_glass }))].reverse();

const justification = 'Checkout is down; INC-4711 needs this change.';

test.each(Object.keys(FREEZE_WAYS))('a window blocks %s', async (name) => {
  const window = await freeze();
  const change = await prepare(name);
  const before = await readState();
  expect(await refused(change({}))).toMatchObject({
    code: 'FREEZE_WINDOW_ACTIVE',
    details: {
      freeze_window_id: window.id,
      name: 'Black Friday',
      ends_at: '2026-11-30T23:59:00.000Z',
      environment_id: frozen.environmentId,
      break_glass: { allowed: true, header: 'X-Break-Glass' },
    },
  });
  expect(await readState()).toEqual(before);
});

test.each(Object.keys(FREEZE_WAYS))('a break-glass session allows %s, with an audit entry', async (name) => {
  await freeze();
  const session = await api.breakGlass.open({
    scope: { project_ids: [frozen.projectId] },
    justification,
    incident_ref: 'INC-4711',
  });
  expect(session).toMatchObject({ status: 'open', uses_count: 0, one_shot: false });
  const change = await prepare(name);
  await change({ breakGlass: session.id });

  const closed = await api.breakGlass.close(session.id);
  expect(closed).toMatchObject({ status: 'closed', uses_count: 1, close_reason: 'closed' });
  const review = { outcome: 'justified', note: 'It was down.' } as const;
  const reviewed = await second.breakGlass.review(session.id, review);
  expect(reviewed).toMatchObject({ status: 'reviewed', review: { outcome: 'justified' } });

  const under = (await entriesUnder('true')).map((entry) => entry.break_glass_id);
  expect(under).toContain(session.id);
  expect(under).not.toContain(null);
  const entries = await entriesUnder(session.id);
  expect(entries[0]).toMatchObject({
    action: 'break_glass.opened',
    changes: { justification: { to: justification } },
  });
  const actions = entries.map((entry) => entry.action);
  expect(actions.filter((action) => action.startsWith('break_glass.'))).toEqual([
    'break_glass.opened',
    'break_glass.used',
    'break_glass.closed',
    'break_glass.reviewed',
  ]);
  const [made] = entries.filter((entry) => entry.resource.type !== 'break_glass');
  expect(made).toMatchObject({ break_glass_id: session.id });
  const used = entries.find((entry) => entry.action === 'break_glass.used');
  expect(used).toMatchObject({
    changes: { used_for: { to: { action: made!.action } } },
    comment: justification,
  });
});

test.each(Object.keys(FREEZE_WAYS))('a justification allows %s for that call only', async (name) => {
  await freeze();
  const change = await prepare(name);
  await change({ justification });
  const [session] = await api.breakGlass.list();
  expect(session).toMatchObject({
    one_shot: true,
    status: 'closed',
    close_reason: 'one_shot',
    uses_count: 1,
  });
  const actions = (await entriesUnder(session!.id)).map((entry) => entry.action);
  expect(actions).toEqual(
    expect.arrayContaining(['break_glass.opened', 'break_glass.used', 'break_glass.closed']),
  );
});

test('a bulk call that is not atomic reports the freeze for each flag', async () => {
  await freeze();
  server.advance(60_000);
  const before = await readState();
  const { flagId, environmentId } = frozen;
  const { results } = await api.flags.bulk({
    action: 'toggle',
    flag_ids: [flagId],
    environment_id: environmentId,
    params: { enabled: true },
  });
  expect(results).toMatchObject([{ flag_id: flagId, status: 'error', code: 'FREEZE_WINDOW_ACTIVE' }]);
  expect(await readState()).toEqual(before);
});
