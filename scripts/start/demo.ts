/** Fills an empty server with a demo: flags of all four types, a segment, rollouts, a prerequisite, keys, an admin. */
import { randomBytes } from 'node:crypto';
import { type Api, createApi } from './api.ts';
import type { DemoDatabase, DemoState } from './data-folder.ts';
import { DEMO_FLAGS, DEMO_SEGMENT } from './demo-flags.ts';

/** What was made, the password shown only now. */
export interface Demo {
  readonly email: string;
  readonly password: string;
  readonly accessToken: string;
  readonly refreshToken: string;
  readonly apiKeys: Readonly<Record<string, string>>;
  /** For pages, which show it to everybody; of the development environment. */
  readonly clientKey: string;
}

interface Environment {
  readonly id: string;
  readonly key: string;
}

/** True when somebody has registered. What cannot be opened is for the server to complain of. */
export async function hasUsers(databaseUrl: string): Promise<boolean> {
  const { openDatabase } = await import('@flagsvc/reference-server');
  const db = await openDatabase(databaseUrl).catch(() => undefined);
  const users = await db?.selectFrom('users').select('id').limit(1).execute();
  await db?.destroy();
  return users !== undefined && users.length > 0;
}

/** Whether what was kept opens what the server serves: a key, or the session when the key was revoked. */
export async function isDemoOf(baseUrl: string, { apiKeys, refreshToken }: DemoState): Promise<boolean> {
  const headers = { 'x-api-key': apiKeys['development']! };
  const { status } = await fetch(`${baseUrl}/sdk/ruleset`, { headers });
  if (status !== 401) return true;
  const refreshed = createApi(baseUrl)('POST', '/auth/refresh', { refresh_token: refreshToken });
  return refreshed.then(
    () => true,
    () => false,
  );
}

/** Registers the admin of an empty database and creates everything else as the admin would. */
export async function createDemo(baseUrl: string, database: DemoDatabase): Promise<Demo> {
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
  return { email, password, accessToken, refreshToken, apiKeys, clientKey };
}

/** Development and staging serve every flag by its rules, production only what is finished. */
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
