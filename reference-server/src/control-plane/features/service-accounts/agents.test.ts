import { afterEach, beforeEach, expect, test } from 'vitest';
import type { Api } from '../../../../test/api.ts';
import { type Body, codeOf, refused } from '../../../../test/api-call.ts';
import { booleanFlag, startServer, type TestServer } from '../../../../test/server.ts';
import { type Accounts, createAccounts } from '../../../../test/service-account.ts';

let server: TestServer;
let accounts: Accounts;
/** Calls the API as the admin, in staging. */
let admin: Api;
let staging: string;
let production: string;

beforeEach(async () => {
  server = await startServer();
  ({ staging, production } = server.environments);
  admin = server.as('admin').in(staging);
  accounts = createAccounts(server);
});
afterEach(() => server.close());

test('an agent cannot change what a critical environment serves', async () => {
  const { api } = await accounts.start({ kind: 'agent' });
  const live = api.in(production);
  const { id } = await admin.flags.create(booleanFlag('checkout'));
  const schedule = (environment_id: string) =>
    api.scheduledChanges.create(id, {
      environment_id,
      execute_at: '2026-11-20T11:00:00Z',
      changes: [{ op: 'set_enabled', enabled: true }],
    });
  expect(await codeOf(api.flags.toggle(id, true))).toBe('OK');
  expect(await codeOf(schedule(staging))).toBe('OK');
  expect(await refused(live.flags.toggle(id, true))).toMatchObject({
    code: 'AGENT_NOT_ALLOWED',
    details: { environment_id: production },
  });
  expect(await codeOf(schedule(production))).toBe('AGENT_NOT_ALLOWED');
  expect(await codeOf(live.flags.archive(id))).toBe('AGENT_NOT_ALLOWED');
  expect(await codeOf(api.flags.create(booleanFlag('everywhere')))).toBe('AGENT_NOT_ALLOWED');
  // A draft is served nowhere until a person activates it.
  const draft = await api.flags.create(booleanFlag('prepared', { draft: true }));
  expect(await codeOf(api.flags.activate(draft.id))).toBe('AGENT_NOT_ALLOWED');
  expect(await codeOf(admin.flags.activate(draft.id))).toBe('OK');
  // Admins decide which environments are critical.
  await admin.environments.update(production, { critical: false });
  expect(await codeOf(live.flags.toggle(id, true))).toBe('OK');
});

/** Imports a draft with values for environments; returns `applied`, or the code of a refusal. */
async function importDraft(by: Api, key: string, environments: object): Promise<string> {
  const flags = [{ ...booleanFlag(key), status: 'draft', environments }];
  const document = { apiVersion: 'flagsvc/v1', kind: 'Project', flags };
  const planned = await by.imports.create(server.projectId, { document });
  const applied = by.imports.apply(planned.id, {}, { headers: { prefer: 'wait=10' } });
  const code = await codeOf(applied);
  if (code !== 'OK') return code;
  const { status, error } = await applied;
  return error?.code ?? status;
}

test('an agent cannot prepare drafts that a critical environment would serve', async () => {
  const { api } = await accounts.start({ kind: 'agent' });
  const on = { enabled: true, default_variation: 'on' };
  expect(await importDraft(api, 'plain', {})).toBe('applied');
  expect(await importDraft(api, 'near', { staging: on })).toBe('AGENT_NOT_ALLOWED');
  expect(await importDraft(api, 'live', { production: on })).toBe('AGENT_NOT_ALLOWED');
});

test('an account cannot prepare drafts for environments that it is not allowed to change', async () => {
  const { api } = await accounts.start({ environment_ids: [staging] });
  const on = { enabled: true, default_variation: 'off' };
  expect(await importDraft(api, 'near', { staging: on })).toBe('applied');
  expect(await importDraft(api, 'live', { production: on })).toBe('INSUFFICIENT_PERMISSIONS');
});

test('an agent can neither change what users scheduled nor schedule a change that it is not allowed to make', async () => {
  const { api } = await accounts.start({ kind: 'agent' });
  const { id } = await admin.flags.create(booleanFlag('checkout'));
  const schedule = (by: Api, changes: Body<'POST /flags/{flag_id}/scheduled-changes'>['changes']) =>
    by.scheduledChanges.create(id, {
      environment_id: staging,
      execute_at: '2026-11-20T11:00:00Z',
      changes,
    });
  const everywhere = [{ op: 'update_variation' as const, variation: 'on', name: 'Renamed' }];
  const planned = await schedule(admin, everywhere);
  const execute_at = '2026-11-20T12:00:00Z';
  expect(await codeOf(api.scheduledChanges.cancel(planned.id))).toBe('AGENT_NOT_ALLOWED');
  expect(await codeOf(api.scheduledChanges.update(planned.id, { execute_at }))).toBe('AGENT_NOT_ALLOWED');
  expect(await codeOf(schedule(api, everywhere))).toBe('AGENT_NOT_ALLOWED');
  const own = await schedule(api, [{ op: 'set_enabled', enabled: true }]);
  expect(await codeOf(api.scheduledChanges.cancel(own.id))).toBe('OK');
});

test('an agent cannot remove tags by which a freeze window could select flags', async () => {
  const { api } = await accounts.start({ kind: 'agent' });
  const { id } = await admin.flags.create(booleanFlag('tagged', { tags: ['payments'] }));
  expect(await codeOf(api.flags.update(id, { tags: [] }))).toBe('AGENT_NOT_ALLOWED');
  expect(await codeOf(api.projects.deleteTag(server.projectId, 'payments'))).toBe('AGENT_NOT_ALLOWED');
});

test('a dry run shows an agent that its change is not allowed', async () => {
  const { api } = await accounts.start({ kind: 'agent' });
  const { plan } = await api.dryRun.flags.create(booleanFlag('everywhere'));
  expect(plan[0]!.gate).toMatchObject({ allowed: false, code: 'AGENT_NOT_ALLOWED' });
});
