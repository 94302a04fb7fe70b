import { booleanFlag, enter, PASSWORD } from '../server.ts';
import type { World } from './world.ts';

/** Provokes error codes on operations on which no other provocation causes them. */

const REGEX = [{ attribute: 'plan', operator: 'matches_regex', value: '(' }];
const REASON = 'Checkout is down; INC-4711 needs this change.';
const NONE = ['none'];

async function segmentsAndProjects({ server, call, made, fresh }: World): Promise<void> {
  const url = `/projects/${server.projectId}/segments`;
  const { id } = await made('POST', url, { key: fresh(), conditions: [] });
  for (const conditions of [
    REGEX,
    [{ attribute: 'plan', operator: 'gt', value: 'many' }],
    [{ attribute: '$segment', operator: 'one_of', value: ['x'] }],
  ]) {
    await call('POST', url, { key: fresh(), conditions });
    await call('PUT', `/segments/${id}`, { conditions });
  }
  await call('POST', `/segments/${id}/revisions/99/restore`, {});
  await call('PUT', '/me/preferences', { text: 'x'.repeat(65_536) });
  const context = { user_key: 'x'.repeat(1_025) };
  await call('POST', `/segments/${id}/test`, { context });
  await call('POST', '/projects', { key: fresh(), name: 'x', settings: { flag_key_pattern: '(' } });
  const { id: projectId, default_environment_id: environment } = await made('POST', '/projects', {
    key: fresh(),
    name: 'x',
  });
  await call('PATCH', `/projects/${projectId}`, { settings: { flag_key_pattern: '(' } });
  await call('GET', `/projects/${projectId}/export?environment_keys=none`);
  await call('POST', `/environments/${environment}/clone`, { key: 'staging', name: 'x' });
  await call('PATCH', `/environments/${environment}`, { type: 'staging' });
  const { id: flagId } = await made('POST', `/flags?environment_id=${environment}`, booleanFlag('web-one'));
  const byKey = (key: string) => `/projects/${projectId}/flags/by-key/${key}?environment_id=${environment}`;
  const clone = (body: object) => call('POST', `/flags/${flagId}/clone?environment_id=${environment}`, body);
  await clone({ key: 'web-one' });
  for (const [settings, key] of [
    [{ flag_key_pattern: '^web-' }, 'app-two'],
    [{ require_description: true }, 'web-two'],
  ] as const) {
    await made('PATCH', `/projects/${projectId}`, { settings });
    await clone({ key });
    await call('PUT', byKey(key), booleanFlag(key));
  }
}

async function serviceAccounts({ call, made, fresh }: World): Promise<void> {
  const { id } = await made('POST', '/service-accounts', { name: fresh(), role: 'viewer' });
  for (const where of [
    { environment_ids: NONE },
    { project_roles: [{ project_id: 'none', role: 'editor' }] },
  ]) {
    await call('POST', '/service-accounts', { name: fresh(), role: 'viewer', ...where });
    await call('PATCH', `/service-accounts/${id}`, where);
  }
}

/** Accepts an invitation for an address that has registered in the meantime. */
async function invitations({ server, call, made, fresh }: World): Promise<void> {
  const email = `${fresh()}@example.com`;
  const url = `/organizations/${server.organizationId}/invitations`;
  const { accept_url } = await made('POST', url, { email, role: 'viewer' });
  await enter(server, email);
  const token = accept_url.split('#token=')[1];
  await call('POST', '/auth/invitations/accept', { token, password: PASSWORD });
}

async function scopes(world: World): Promise<void> {
  const { server, call, made, as, environment } = world;
  const of = `/organizations/${server.organizationId}`;
  const { data } = (await call('GET', `${of}/members`)).body;
  const viewer = data.find((one: { role: string }) => one.role === 'viewer');
  await call('PATCH', `${of}/members/${viewer.user.id}`, { environment_ids: NONE });
  await call('POST', `${of}/invitations`, {
    email: 'guest@example.com',
    role: 'viewer',
    project_roles: [{ project_id: 'none', role: 'editor' }],
  });
  const window = await made('POST', '/freeze-windows', { name: 'later', starts_at: '2028-01-01T00:00:00Z' });
  const url = `/freeze-windows/${window.id}`;
  for (const scope of [{ environment_ids: NONE }, { project_ids: NONE }]) {
    await call('POST', '/freeze-windows', { name: 'x', scope });
    await call('PATCH', url, { scope });
    await world.pass(0);
    await call('POST', '/break-glass', { scope, justification: REASON });
  }
  const recurrence = { rule: 'FREQ=SECONDLY', timezone: 'Europe/Berlin', duration_minutes: 5 };
  await call('PATCH', url, { recurrence });
  await made('DELETE', url);
  await call('PATCH', url, { name: 'x' });
  await call('DELETE', url);
  const on = await made('POST', '/freeze-windows', {
    name: 'on',
    scope: { environment_types: ['production'] },
  });
  await call('DELETE', `/freeze-windows/${on.id}`);
  await made('POST', `/freeze-windows/${on.id}/end`, { comment: 'x' });
  const restricted = { name: 'k', kind: 'client', allowed_origins: ['https://app.example.com'] };
  const inside = { name: 'k', allowed_ips: ['10.0.0.1'] };
  for (const body of [restricted, inside]) {
    const { key } = await made('POST', `/environments/${environment}/api-keys`, body);
    const headers = { 'x-api-key': key, origin: 'https://other.example.com' };
    for (const url of ['/sdk/stream', '/relay/stream', '/sdk/ruleset?view=client']) {
      await server.call({ url, headers });
    }
    await server.call({ method: 'POST', url: '/relay/keys', headers, body: { keys: [key] } });
    const context = { user_key: 'u' };
    await server.call({ method: 'POST', url: '/evaluate', headers, body: { flags: [], context } });
    await server.call({ method: 'POST', url: '/sdk/events', headers, body: { batch_id: 'b', events: [] } });
  }
  const relay = await made('POST', `/environments/${environment}/api-keys`, { name: 'k', kind: 'relay' });
  const headers = { 'x-api-key': relay.key };
  for (const query of [`environment_ids=${environment},none`, 'last_version=x']) {
    await server.call({ url: `/relay/stream?${query}`, headers });
  }
  const { key } = await made('POST', `/environments/${environment}/api-keys`, { name: 'k' });
  const ordinary = { 'x-api-key': key };
  await server.call({ url: '/sdk/ruleset?view=client', headers: ordinary });
  await server.call({ method: 'POST', url: '/relay/keys', headers: ordinary, body: { keys: [key] } });
  await as(server.tokens.viewer, 'POST', '/auth/reauthenticate', { password: 'wrong password' });
}

async function states(world: World): Promise<void> {
  const { call, made, flag, environment } = world;
  const url = await flag();
  const plan = { environment_id: environment, execute_at: '2027-06-01T00:00:00Z' };
  const { id } = await made('POST', url('/scheduled-changes'), {
    ...plan,
    changes: [{ op: 'add_tag', tag: 'x' }],
  });
  await made('DELETE', `/scheduled-changes/${id}`);
  await call('PATCH', `/scheduled-changes/${id}`, { comment: 'x' });
  await call('POST', `/scheduled-changes/${id}/execute`, {});
  await call('GET', url('/revisions/1/diff/99'));
  await call('POST', url('/revisions/99/restore'), {});
  const { key } = await made('GET', url());
  await world.pass(0);
  await call('DELETE', `${url('/permanent')}&confirm_key=${key}`);
  const id_ = url().split(/[/?]/)[2]!;
  const bulk = (action: string) =>
    call('POST', '/flags/bulk', { action, environment_id: environment, flag_ids: [id_], atomic: true });
  await bulk('restore');
  await made('POST', url('/mark-stale'), {});
  await call('POST', url('/mark-stale'), {});
  await bulk('mark_stale');
  await made('DELETE', url());
  await call('POST', '/flags/bulk', {
    action: 'toggle',
    environment_id: environment,
    flag_ids: [id_],
    params: { enabled: true },
    atomic: true,
  });
  const scope = { environment_ids: [environment], flag_ids: NONE };
  await call('POST', '/break-glass', { scope, justification: REASON });
  await call('POST', url('/promote').replace(/\?.*/, ''), {
    source_environment_id: environment,
    target_environment_ids: [world.server.environments.staging],
  });
  await call('POST', url('/revisions/1/restore'), {});
  await call('POST', `/environments/${environment}/promote`, {
    target_environment_id: world.server.environments.staging,
    flag_keys: NONE,
  });
  const hook = { url: 'https://hooks.example.com/', events: ['segment.*'] };
  const webhook = await made('POST', '/webhooks', hook);
  await call('PATCH', `/webhooks/${webhook.id}`, { url: 'http://hooks.example.com/' });
}

export async function provokeMore(world: World): Promise<void> {
  await segmentsAndProjects(world);
  await serviceAccounts(world);
  await invitations(world);
  await scopes(world);
  await states(world);
}
