import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import {
  type Answer,
  booleanFlag,
  enter,
  PASSWORD,
  startServer,
  type TestServer,
} from '../../../../test/server.ts';

/**
 * Freeze × every way to change a flag. The ways are every operation that writes (`writes` in its description): one that
 * is not named here fails the test, so that no new way is let in without a look at freezes.
 */

interface Frozen {
  readonly flagId: string;
  readonly environmentId: string;
  /** Not frozen. */
  readonly developmentId: string;
  readonly segmentId: string;
  readonly projectId: string;
  readonly projectKey: string;
}
/** A call that would change the ruleset of the frozen environment, made by the state that stands before it. */
type Way = (frozen: Frozen) => Promise<readonly [method: string, path: string, body?: unknown]>;

let server: TestServer;
let frozen: Frozen;
/** Access token of another admin. */
let second: string;
let projects = 0;
/** When the freeze of a test begins: what has to stand before is made until then. */
let startsAt: string;

const RULE = {
  priority: 1,
  name: 'r',
  conditions: [],
  percentage_rollout: [{ variation: 'on', percentage: 40 }],
};

beforeAll(async () => {
  server = await startServer();
  const other = await enter(server, 'second@example.com');
  await server.db.updateTable('memberships').set({ role: 'admin' }).where('user_id', '=', other.id).execute();
  second = other.accessToken;
});
afterAll(() => server.close());

/** Each test has a project of its own. */
beforeEach(async () => {
  await made('POST', '/auth/reauthenticate', { password: PASSWORD });
  projects += 1;
  const projectKey = `project-${projects}`;
  const { id: projectId } = await made('POST', '/projects', { key: projectKey, name: 'P' });
  const environments = await made('GET', `/projects/${projectId}/environments`);
  const idOf = (type: string) => environments.find((one: { type: string }) => one.type === type).id;
  const environmentId = idOf('production');
  const flag = await made('POST', `/flags?environment_id=${environmentId}`, booleanFlag('checkout'));
  const segment = await made('POST', `/projects/${projectId}/segments`, { key: 'staff', conditions: [] });
  const developmentId = idOf('development');
  startsAt = new Date(Date.parse(flag.updated_at) + 60_000).toISOString();
  frozen = { flagId: flag.id, environmentId, developmentId, segmentId: segment.id, projectId, projectKey };
});

function admin(method: string, url: string, body?: unknown, headers: Record<string, string> = {}) {
  return server.call({ method: method as 'GET', url, token: server.tokens.admin, body, headers });
}

/** What the call makes, which must succeed. */
async function made(method: string, url: string, body?: unknown) {
  const answer = await admin(method, url, body);
  expect([url, answer.status, answer.body?.error]).toEqual([url, expect.any(Number), undefined]);
  expect(answer.status).toBeLessThan(300);
  return answer.body?.data;
}

const freeze = () =>
  made('POST', '/freeze-windows', {
    name: 'Black Friday',
    scope: { environment_types: ['production'], project_ids: [frozen.projectId] },
    starts_at: startsAt,
    ends_at: '2026-11-30T23:59:00Z',
  });

/** Makes what stands before the way, and lets the freeze begin. */
async function prepare(name: string): ReturnType<Way> {
  const way = await WAYS[name]!(frozen);
  server.advance(60_000);
  return way;
}

const WAYS: Readonly<Record<string, Way>> = {
  createFlag: async ({ environmentId }) => [
    'POST',
    `/flags?environment_id=${environmentId}`,
    booleanFlag('new'),
  ],
  updateFlag: async (one) => ['PUT', flagPath(one), { targeting_rules: [RULE] }],
  patchFlag: async (one) => [
    'PATCH',
    flagPath(one),
    { instructions: [{ op: 'set_enabled', enabled: true }] },
  ],
  toggleFlag: async (one) => ['POST', flagPath(one, '/toggle'), { enabled: true }],
  archiveFlag: async (one) => ['DELETE', flagPath(one)],
  cloneFlag: async (one) => ['POST', flagPath(one, '/clone'), { key: 'copy' }],
  upsertFlag: async ({ projectId, environmentId }) => [
    'PUT',
    `/projects/${projectId}/flags/by-key/checkout?environment_id=${environmentId}`,
    { ...booleanFlag('checkout'), targeting_rules: [RULE] },
  ],
  createSegment: async ({ projectId }) => [
    'POST',
    `/projects/${projectId}/segments`,
    { key: 'new', conditions: [] },
  ],
  updateSegment: async ({ segmentId }) => [
    'PUT',
    `/segments/${segmentId}`,
    { conditions: [{ attribute: 'plan', operator: 'is', value: 'pro' }] },
  ],
  deleteSegment: async ({ segmentId }) => ['DELETE', `/segments/${segmentId}`],
  deleteEnvironment: async ({ environmentId }) => [
    'DELETE',
    `/environments/${environmentId}?confirm_key=production`,
  ],
  updateEnvironment: async ({ environmentId }) => [
    'PATCH',
    `/environments/${environmentId}`,
    { type: 'staging' },
  ],
  archiveProject: async ({ projectId, projectKey }) => [
    'DELETE',
    `/projects/${projectId}?confirm_key=${projectKey}`,
  ],
  restoreFlagRevision: async (one) => {
    await made('PUT', flagPath(one), { default_variation: 'on' });
    return ['POST', flagPath(one, '/revisions/1/restore'), {}];
  },
  activateFlag: async (one) => {
    const path = `/flags?environment_id=${one.environmentId}`;
    const draft = await made('POST', path, { ...booleanFlag('draft'), draft: true });
    return ['POST', flagPath({ ...one, flagId: draft.id }, '/activate'), {}];
  },
  restoreFlag: async (one) => {
    await made('DELETE', flagPath(one));
    return ['POST', flagPath(one, '/restore'), {}];
  },
  deleteFlag: async (one) => {
    await made('DELETE', flagPath(one));
    return ['DELETE', `${flagPath(one, '/permanent')}&confirm_key=checkout`];
  },
  restoreProject: async ({ projectId, projectKey }) => {
    await made('DELETE', `/projects/${projectId}?confirm_key=${projectKey}`);
    return ['POST', `/projects/${projectId}/restore`, {}];
  },
  promoteFlag: async (one) => {
    const { developmentId, environmentId } = one;
    await made('PUT', flagPath({ ...one, environmentId: developmentId }), { targeting_rules: [RULE] });
    const body = { source_environment_id: developmentId, target_environment_ids: [environmentId] };
    return ['POST', `/flags/${one.flagId}/promote`, body];
  },
  promoteEnvironment: async (one) => {
    const { developmentId, environmentId } = one;
    await made('PUT', flagPath({ ...one, environmentId: developmentId }), { targeting_rules: [RULE] });
    return ['POST', `/environments/${developmentId}/promote`, { target_environment_id: environmentId }];
  },
  changeFlags: async ({ flagId, environmentId }) => [
    'POST',
    '/flags/bulk',
    {
      action: 'toggle',
      flag_ids: [flagId],
      environment_id: environmentId,
      params: { enabled: true },
      atomic: true,
    },
  ],
  applyImport: async ({ projectId }) => {
    const document = { apiVersion: 'flagsvc/v1', kind: 'Project', flags: [booleanFlag('imported')] };
    const planned = await made('POST', `/projects/${projectId}/imports`, { document });
    return ['POST', `/imports/${planned.id}/apply`, {}];
  },
  executeScheduledChange: async ({ flagId, environmentId }) => {
    const planned = await made('POST', `/flags/${flagId}/scheduled-changes`, {
      environment_id: environmentId,
      execute_at: '2026-12-24T00:00:00Z',
      changes: [{ op: 'set_enabled', enabled: true }],
    });
    return ['POST', `/scheduled-changes/${planned.id}/execute`, {}];
  },
};

/** Operations that write and leave every ruleset as it is. */
const HARMLESS: Readonly<Record<string, string>> = {
  ...Object.fromEntries(
    [
      'revokeSession',
      'revokeOtherSessions',
      'createPersonalToken',
      'revokePersonalToken',
      'updateOrganization',
      'updateMember',
      'removeMember',
      'setProjectRole',
      'removeProjectRole',
      'createInvitation',
      'resendInvitation',
      'revokeInvitation',
      'createServiceAccount',
      'updateServiceAccount',
      'deleteServiceAccount',
      'createServiceAccountToken',
      'revokeServiceAccountToken',
    ].map((name) => [name, 'people']),
  ),
  markFlagStale: 'served as before',
  unmarkFlagStale: 'served as before',
  releaseReservedKey: 'a key that nobody uses',
  ...Object.fromEntries(
    [
      'createWebhook',
      'updateWebhook',
      'deleteWebhook',
      'rotateWebhookSecret',
      'enableWebhook',
      'testWebhook',
      'replayWebhook',
      'redeliverWebhookMessage',
    ].map((name) => [name, 'webhooks']),
  ),
  cloneEnvironment: 'an environment that nobody is served yet',
  resetMemberMfa: 'people',
  putCodeReferences: 'what code names is in no ruleset',
  removeCodeReferences: 'what code names is in no ruleset',
  renameTag: 'tags are in no ruleset; windows that look at tags are proved in freeze.test.ts',
  deleteTag: 'tags are in no ruleset; windows that look at tags are proved in freeze.test.ts',
  createProject: 'a project of its own',
  updateProject: 'names and settings',
  createEnvironment: 'an environment that nobody is served yet',
  createApiKey: 'keys see rulesets and change none',
  updateApiKey: 'keys',
  rotateApiKey: 'keys',
  revokeApiKey: 'keys',
  createFreezeWindow: 'the freeze itself',
  updateFreezeWindow: 'the freeze itself, with a comment',
  cancelFreezeWindow: 'the freeze itself, when it is not on',
  endFreezeWindow: 'the freeze itself, with a comment',
  openBreakGlass: 'break-glass',
  closeBreakGlass: 'break-glass',
  reviewBreakGlass: 'break-glass',
  createImport: 'a plan',
  createScheduledChange: 'a plan',
  updateScheduledChange: 'a plan',
  cancelScheduledChange: 'a plan',
};

function flagPath({ flagId, environmentId }: Frozen, suffix = ''): string {
  return `/flags/${flagId}${suffix}?environment_id=${environmentId}`;
}

/** What SDKs are served in the frozen environment, and the flag as people see it. */
async function look() {
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

const entriesOf = async (where: string) =>
  (await admin('GET', `/audit-log?per_page=200&${where}`)).body.data.reverse() as {
    action: string;
    comment: string | null;
    break_glass_id: string | null;
    changes: Record<string, { to: unknown }>;
    resource: { type: string; id: string };
  }[];

const codeOf = ({ status, body }: Answer) => [status, body?.error?.code];

test('knows every operation that writes', () => {
  const writing = server.app.routeTable.flatMap((route) => (route.writes ? (route.operationId ?? []) : []));
  const known = [...Object.keys(WAYS), ...Object.keys(HARMLESS)];
  expect(writing.filter((name) => !known.includes(name))).toEqual([]);
  expect(Object.keys(WAYS).filter((name) => !writing.includes(name))).toEqual([]);
});

test.each(Object.keys(WAYS))('lets %s change nothing in a frozen environment', async (name) => {
  const window = await freeze();
  const [method, path, body] = await prepare(name);
  const before = await look();
  const answer = await admin(method, path, body);
  expect(codeOf(answer)).toEqual([409, 'FREEZE_WINDOW_ACTIVE']);
  expect(answer.body.error.details).toMatchObject({
    freeze_window_id: window.id,
    name: 'Black Friday',
    ends_at: '2026-11-30T23:59:00.000Z',
    environment_id: frozen.environmentId,
    break_glass: { allowed: true, header: 'X-Break-Glass' },
  });
  expect(await look()).toEqual(before);
});

test.each(Object.keys(WAYS))('lets %s pass by break-glass, which leaves its traces', async (name) => {
  await freeze();
  const justification = 'Checkout is down; INC-4711 needs this change.';
  const glass = await made('POST', '/break-glass', {
    scope: { project_ids: [frozen.projectId] },
    justification,
    incident_ref: 'INC-4711',
  });
  expect(glass).toMatchObject({ status: 'open', uses_count: 0, one_shot: false });
  const [method, path, body] = await prepare(name);
  const answer = await admin(method, path, body, { 'x-break-glass': glass.id });
  expect([name, answer.status, answer.body?.error]).toEqual([name, expect.any(Number), undefined]);

  const after = await made('POST', `/break-glass/${glass.id}/close`);
  expect(after).toMatchObject({ status: 'closed', uses_count: 1, close_reason: 'closed' });
  const reviewed = await server.call({
    method: 'POST',
    url: `/break-glass/${glass.id}/review`,
    token: second,
    body: { outcome: 'justified', note: 'It was down.' },
  });
  expect(reviewed.body.data).toMatchObject({ status: 'reviewed', review: { outcome: 'justified' } });

  const under = (await entriesOf('break_glass=true')).map((entry) => entry.break_glass_id);
  expect(under).toContain(glass.id);
  expect(under).not.toContain(null);
  const entries = await entriesOf(`break_glass=${glass.id}`);
  const actions = entries.map((entry) => entry.action);
  expect(actions[0]).toBe('break_glass.opened');
  expect(entries[0]!.changes['justification']!.to).toBe(justification);
  expect(actions.filter((action) => action.startsWith('break_glass.'))).toEqual([
    'break_glass.opened',
    'break_glass.used',
    'break_glass.closed',
    'break_glass.reviewed',
  ]);
  const [change] = entries.filter((entry) => entry.resource.type !== 'break_glass');
  expect(change).toMatchObject({ break_glass_id: glass.id });
  const use = entries.find((entry) => entry.action === 'break_glass.used')!;
  expect(use.changes['used_for']!.to).toMatchObject({ action: change!.action });
  expect(use.comment).toBe(justification);
});

test.each(Object.keys(WAYS))('lets %s pass by one justification, for that call alone', async (name) => {
  await freeze();
  const [method, path, body] = await prepare(name);
  const headers = { 'x-break-glass-justification': 'Checkout is down; INC-4711 needs this change.' };
  const answer = await admin(method, path, body, headers);
  expect([name, answer.status, answer.body?.error]).toEqual([name, expect.any(Number), undefined]);
  const [glass] = (await admin('GET', '/break-glass')).body.data;
  expect(glass).toMatchObject({ one_shot: true, status: 'closed', close_reason: 'one_shot', uses_count: 1 });
  expect((await entriesOf(`break_glass=${glass.id}`)).map((entry) => entry.action)).toEqual(
    expect.arrayContaining(['break_glass.opened', 'break_glass.used', 'break_glass.closed']),
  );
});

test('names the freeze for each flag of a bulk call that is not all or none', async () => {
  await freeze();
  server.advance(60_000);
  const before = await look();
  const { status, body } = await admin('POST', '/flags/bulk', {
    action: 'toggle',
    flag_ids: [frozen.flagId],
    environment_id: frozen.environmentId,
    params: { enabled: true },
  });
  expect([status, body.data.results]).toEqual([
    200,
    [expect.objectContaining({ flag_id: frozen.flagId, status: 'error', code: 'FREEZE_WINDOW_ACTIVE' })],
  ]);
  expect(await look()).toEqual(before);
});
