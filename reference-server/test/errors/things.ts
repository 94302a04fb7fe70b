import { Readable } from 'node:stream';
import { sql } from 'kysely';
import type { RawAnswer } from '../api-call.ts';
import { setReadOnly } from '../database.ts';
import type { Provoke, World } from './world.ts';

const NOTHING = 'none';
const byId = (method: string, path: string, body?: unknown): Provoke => {
  return ({ call }) => call(method, path, body);
};
const documentOf = (flags: readonly object[]) => ({ apiVersion: 'flagsvc/v1', kind: 'Project', flags });
const inProject = ({ server }: World, path: string) => `/projects/${server.projectId}${path}`;

/** Makes a call twice. Returns the second answer. */
async function twice(act: () => Promise<RawAnswer>): Promise<RawAnswer> {
  await act();
  return act();
}

/** The id of a planned import that creates one flag. */
async function planned(world: World): Promise<string> {
  const key = world.fresh();
  const variations = [
    { key: 'on', value: true },
    { key: 'off', value: false },
  ];
  const document = documentOf([{ key, flag_type: 'boolean', variations, default_variation: 'off' }]);
  return (await world.made('POST', inProject(world, '/imports'), { document })).id;
}

/** Creates a project with these settings. Returns the URL of its flags. */
async function flagsOfProject(world: World, settings: object): Promise<string> {
  const key = world.fresh();
  const { id, default_environment_id } = await world.made('POST', '/projects', { key, name: key });
  await world.made('PATCH', `/projects/${id}`, { settings });
  return `/flags?environment_id=${default_environment_id}`;
}

/** How to provoke all errors that are not about flags or people. */
export const things: Readonly<Record<string, Provoke>> = {
  VALIDATION_ERROR: byId('GET', '/flags'),
  MALFORMED_JSON: byId('POST', '/projects', '{'),
  PAYLOAD_TOO_LARGE: ({ call }) => call('POST', '/projects', { name: 'x'.repeat(1_100_000) }),
  async REQUEST_TIMEOUT({ server }) {
    const payload = new Readable({ read() {} });
    payload.push('{');
    const headers = { 'content-type': 'application/json' };
    const answer = await server.app.inject({ method: 'POST', url: '/api/v1/auth/login', headers, payload });
    return { status: answer.statusCode, body: answer.json(), headers: answer.headers };
  },
  UNSUPPORTED_MEDIA_TYPE: ({ call }) => call('POST', '/projects', '<x/>', { 'content-type': 'text/xml' }),
  LIMIT_EXCEEDED: byId('POST', '/projects', { key: 'x', name: 'x'.repeat(201) }),
  IDEMPOTENCY_KEY_INVALID: ({ call }) =>
    call('POST', '/projects', { key: 'x', name: 'x' }, { 'idempotency-key': 'two words' }),
  async IDEMPOTENCY_KEY_REUSED({ call, fresh }) {
    const create = () =>
      call('POST', '/projects', { key: fresh(), name: 'x' }, { 'idempotency-key': 'reused' });
    return twice(create);
  },
  NOT_FOUND: byId('GET', '/projects/%E0%A4%A'),
  METHOD_NOT_ALLOWED: byId('PUT', '/projects'),
  ORGANIZATION_NOT_FOUND: byId('GET', `/organizations/${NOTHING}`),
  PROJECT_NOT_FOUND: byId('GET', `/projects/${NOTHING}`),
  ENVIRONMENT_NOT_FOUND: byId('GET', `/environments/${NOTHING}`),
  SEGMENT_NOT_FOUND: byId('GET', `/segments/${NOTHING}`),
  IMPORT_NOT_FOUND: byId('GET', `/imports/${NOTHING}`),
  API_KEY_NOT_FOUND: byId('DELETE', `/api-keys/${NOTHING}`),
  SESSION_NOT_FOUND: byId('DELETE', `/auth/sessions/${NOTHING}`),
  PERSONAL_TOKEN_NOT_FOUND: byId('DELETE', `/auth/tokens/${NOTHING}`),
  SERVICE_ACCOUNT_NOT_FOUND: byId('GET', `/service-accounts/${NOTHING}`),
  async SERVICE_ACCOUNT_TOKEN_NOT_FOUND({ made, call }) {
    const { id } = await made('POST', '/service-accounts', { name: 'deploys', role: 'viewer' });
    return call('DELETE', `/service-accounts/${id}/tokens/${NOTHING}`);
  },
  CODE_SNAPSHOT_NOT_FOUND: (world) =>
    world.call('DELETE', inProject(world, '/code-references?repository=r&branch=b')),
  WEBHOOK_NOT_FOUND: byId('GET', `/webhooks/${NOTHING}`),
  WEBHOOK_MESSAGE_NOT_FOUND: byId('GET', `/webhook-messages/${NOTHING}`),
  AUDIT_ENTRY_NOT_FOUND: byId('GET', `/audit-log/${NOTHING}`),
  FREEZE_WINDOW_NOT_FOUND: byId('GET', `/freeze-windows/${NOTHING}`),
  BREAK_GLASS_NOT_FOUND: byId('GET', `/break-glass/${NOTHING}`),
  SCHEDULED_CHANGE_NOT_FOUND: byId('GET', `/scheduled-changes/${NOTHING}`),
  MEMBER_NOT_FOUND: ({ call, server }) =>
    call('DELETE', `/organizations/${server.organizationId}/members/${NOTHING}`),
  INVITATION_NOT_FOUND: ({ call, server }) =>
    call('DELETE', `/organizations/${server.organizationId}/invitations/${NOTHING}`),
  TAG_NOT_FOUND: (world) => world.call('DELETE', inProject(world, `/tags/${NOTHING}`)),
  RESERVED_KEY_NOT_FOUND: (world) =>
    world.call('POST', inProject(world, `/reserved-keys/${NOTHING}/release`), {}),

  PROJECT_KEY_CONFLICT: byId('POST', '/projects', { key: 'default', name: 'x' }),
  ENVIRONMENT_KEY_CONFLICT: (world) =>
    world.call('POST', inProject(world, '/environments'), { key: 'staging', name: 'x', type: 'staging' }),
  SEGMENT_KEY_CONFLICT: (world) =>
    twice(() => world.call('POST', inProject(world, '/segments'), { key: 'twice', conditions: [] })),
  SEGMENT_NESTING(world) {
    const conditions = [{ attribute: '$segment', operator: 'one_of', value: ['x'] }];
    return world.call('POST', inProject(world, '/segments'), { key: world.fresh(), conditions });
  },
  async RESOURCE_IN_USE(world) {
    const key = world.fresh();
    const { id } = await world.made('POST', inProject(world, '/segments'), { key, conditions: [] });
    const url = await world.flag();
    const conditions = [{ attribute: '$segment', operator: 'one_of', value: [key] }];
    await world.made('PUT', url(), { targeting_rules: [{ priority: 1, conditions, variation: 'on' }] });
    return world.call('DELETE', `/segments/${id}`);
  },
  async PRECONDITION_FAILED({ flag, call }) {
    const url = await flag();
    return call('PUT', url(), { name: 'x' }, { 'if-match': '"99"' });
  },

  async PLAN_STALE(world) {
    const id = await planned(world);
    await world.flag();
    return world.call('POST', `/imports/${id}/apply`, {});
  },
  async IMPORT_STATE_CONFLICT(world) {
    const id = await planned(world);
    const apply = () => world.call('POST', `/imports/${id}/apply`, {}, { prefer: 'wait=10' });
    return twice(apply);
  },
  IMPORT_INVALID: (world) =>
    world.call('POST', inProject(world, '/imports'), { document: documentOf([{ key: 'x' }]) }),
  URL_NOT_ALLOWED: byId('POST', '/webhooks', { url: 'http://hooks.example.com/', events: ['*'] }),
  async WEBHOOK_DISABLED({ made, call, server }) {
    const { id } = await made('POST', '/webhooks', {
      url: 'https://hooks.example.com/',
      events: ['segment.*'],
    });
    await server.db.updateTable('webhooks').set({ enabled: 0 }).where('id', '=', id).execute();
    const at = '2026-11-20T10:00:00Z';
    return call('POST', `/webhooks/${id}/replay`, { from: at, to: at });
  },

  async FREEZE_WINDOW_ACTIVE({ frozen, call }) {
    const { toggle } = await frozen();
    return call('POST', toggle, { enabled: true });
  },
  async FREEZE_WINDOW_OVER({ frozen, call }) {
    const { windowId } = await frozen();
    return twice(() => call('POST', `/freeze-windows/${windowId}/end`, { comment: 'over' }));
  },
  RECURRENCE_INVALID: byId('POST', '/freeze-windows', {
    name: 'x',
    starts_at: '2027-01-01T00:00:00Z',
    ends_at: '2027-01-02T00:00:00Z',
    recurrence: { rule: 'FREQ=SECONDLY', timezone: 'Europe/Berlin', duration_minutes: 5, until: null },
  }),
  async COMMENT_REQUIRED(world) {
    const flag = (await world.flag())();
    const key = world.fresh();
    const environment = { key, name: key, type: 'staging', require_comment: true };
    const { id } = await world.made('POST', inProject(world, '/environments'), environment);
    const [, , flagId] = flag.split(/[/?]/);
    const url = `/flags/${flagId}/toggle?environment_id=${id}`;
    return world.call('POST', url, { enabled: true });
  },

  FLAG_KEY_PATTERN_MISMATCH: async (world) =>
    world.call('POST', await flagsOfProject(world, { flag_key_pattern: '^web-' }), FLAG),
  DESCRIPTION_REQUIRED: async (world) =>
    world.call('POST', await flagsOfProject(world, { require_description: true }), FLAG),

  // These come last, since they break the database for a moment.
  async SERVICE_UNAVAILABLE({ server, call }) {
    await setReadOnly(server.db, true);
    const answer = await call('POST', '/projects', { key: 'unwritten', name: 'x' });
    await setReadOnly(server.db, false);
    return answer;
  },
  async INTERNAL_ERROR({ server, call }) {
    await sql`alter table segments rename to broken`.execute(server.db);
    const answer = await call('GET', `/projects/${server.projectId}/segments`);
    await sql`alter table broken rename to segments`.execute(server.db);
    return answer;
  },
};

const FLAG = {
  key: 'app-x',
  name: 'x',
  flag_type: 'boolean',
  variations: [
    { key: 'on', name: 'On', value: true },
    { key: 'off', name: 'Off', value: false },
  ],
  default_variation: 'off',
};
