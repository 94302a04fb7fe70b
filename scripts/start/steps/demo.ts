/** Fills an empty server with a demo: flags of all four types, a segment, rollouts, a prerequisite, keys, an admin. */
import { randomBytes } from 'node:crypto';
import type { Settings } from '../settings.ts';
import { type Api, createApi } from './api.ts';
import type { DemoDatabase, DemoState } from './demo-database.ts';
import { DEMO_FLAGS, DEMO_SEGMENT } from './demo-flags.ts';

/** The demo's credentials. The password and the access token are known only right after its creation. */
export interface Demo extends DemoState {
  readonly password?: string;
  readonly accessToken?: string;
  /** A second admin, because nobody can review a break-glass session of their own. */
  readonly reviewer?: { readonly email: string; readonly password: string };
}

interface Environment {
  readonly id: string;
  readonly key: string;
}

/** Throws when the database has users but no known demo. Call it before the server opens the database. */
export async function refuseForeignData(database: DemoDatabase): Promise<void> {
  if (database.kept === undefined && !database.isAbsent && (await hasUsers(database.url)))
    throw foreignData(database);
}

/** The demo of an earlier start; a new one when the database is empty. Throws when the database holds other data. */
export async function findOrCreateDemo({ baseUrl }: Settings, database: DemoDatabase): Promise<Demo> {
  const { kept, url } = database;
  if (kept !== undefined && (await isDemoOf(baseUrl, kept))) return kept;
  if (kept !== undefined && (await hasUsers(url))) throw foreignData(database);
  return createDemo(baseUrl, database);
}

/** A new access token from the demo admin's session; undefined when the session has ended. */
export async function renewAccessToken(
  { baseUrl }: Settings,
  { refreshToken }: DemoState,
): Promise<string | undefined> {
  const refresh = createApi(baseUrl)<{ access_token: string }>('POST', '/auth/refresh', {
    refresh_token: refreshToken,
  });
  return refresh.then(({ access_token }) => access_token).catch(() => undefined);
}

function foreignData({ name, remedy }: DemoDatabase): Error {
  return new Error(
    `flagsvc cannot start its demo: ${name} has users, but none of the known demo credentials fit; ${remedy}.`,
  );
}

/** True when somebody has registered. False when the database cannot be opened; the server then reports why. */
async function hasUsers(databaseUrl: string): Promise<boolean> {
  const { openDatabase } = await import('@flagsvc/reference-server');
  const db = await openDatabase(databaseUrl).catch(() => undefined);
  const users = await db?.selectFrom('users').select('id').limit(1).execute();
  await db?.destroy();
  return users !== undefined && users.length > 0;
}

/** Whether the server accepts the kept credentials: the SDK key or, if that was revoked, the session. */
async function isDemoOf(baseUrl: string, { apiKeys, refreshToken }: DemoState): Promise<boolean> {
  const headers = { 'x-api-key': apiKeys['development']! };
  const { status } = await fetch(`${baseUrl}/sdk/ruleset`, { headers });
  if (status !== 401) return true;
  const refreshed = createApi(baseUrl)('POST', '/auth/refresh', { refresh_token: refreshToken });
  return refreshed.then(
    () => true,
    () => false,
  );
}

/** Registers the admin of an empty database and creates everything else by the API. */
async function createDemo(baseUrl: string, database: DemoDatabase): Promise<Demo> {
  const email = 'admin@example.com';
  const password = randomBytes(12).toString('base64url');
  const anyone = createApi(baseUrl);
  await anyone('POST', '/auth/register', { email, password, full_name: 'Demo Admin' });
  const tokens = await anyone<{ access_token: string; refresh_token: string }>('POST', '/auth/login', {
    email,
    password,
  });
  const api = createApi(baseUrl, tokens.access_token);

  const [project] = await api<{ id: string }[]>('GET', '/projects');
  const environments = await api<Environment[]>('GET', `/projects/${project!.id}/environments`);
  await api('POST', `/projects/${project!.id}/segments`, DEMO_SEGMENT);
  await createFlags(api, environments);
  const reviewer = await createReviewer(api);
  // The dashboard leads the admin to a first app, although it will have seen the SDK of the quickstart.
  await api('PUT', '/me/preferences', { 'start.paths': { [project!.id]: 'open' } });
  const apiKeys: Record<string, string> = {};
  for (const { id, key } of environments) {
    const created = await api<{ key: string }>('POST', `/environments/${id}/api-keys`, {
      name: `Demo ${key}`,
    });
    apiKeys[key] = created.key;
  }
  const { key: clientKey } = await api<{ key: string }>(
    'POST',
    `/environments/${environments[0]!.id}/api-keys`,
    { name: 'Demo page', kind: 'client' },
  );
  const { access_token: accessToken, refresh_token: refreshToken } = tokens;
  database.keep({ email, refreshToken, apiKeys, clientKey });
  return { email, password, accessToken, refreshToken, apiKeys, clientKey, reviewer };
}

/** Invites a second admin, and accepts the invitation. */
async function createReviewer(api: Api): Promise<NonNullable<Demo['reviewer']>> {
  const email = 'reviewer@example.com';
  const password = randomBytes(12).toString('base64url');
  const [organization] = await api<{ id: string }[]>('GET', '/organizations');
  const { accept_url: link } = await api<{ accept_url: string }>(
    'POST',
    `/organizations/${organization!.id}/invitations`,
    { email, role: 'admin' },
  );
  const token = new URLSearchParams(new URL(link).hash.slice(1)).get('token');
  await api('POST', '/auth/invitations/accept', { token, password, full_name: 'Demo Reviewer' });
  return { email, password };
}

/** Creates the flags. Enables all of them in development and staging, but only the finished ones in production. */
async function createFlags(api: Api, environments: readonly Environment[]): Promise<void> {
  for (const { flag, targeting, isFinished } of DEMO_FLAGS) {
    const { id } = await api<{ id: string }>('POST', `/flags?environment_id=${environments[0]!.id}`, flag);
    for (const environment of environments) {
      if (environment.key === 'production' && !isFinished) continue;
      const query = `environment_id=${environment.id}`;
      if (targeting) await api('PUT', `/flags/${id}?${query}`, targeting);
      await api('POST', `/flags/${id}/toggle?${query}`, { enabled: true });
    }
  }
}
