import { createOutbound } from '../../../reference-server/src/outbound/outbound.ts';
import { openDatabase } from '../../../reference-server/src/storage/open-database.ts';
import { type Api, createApi } from '../../../reference-server/test/api.ts';
import { SECRETS, startEmptyServer } from '../../../reference-server/test/server.ts';
import { PASSWORD, type PersonKey, people } from './people.ts';

export { SECRETS };
export const MINUTE_MS = 60_000;
export const HOUR_MS = 60 * MINUTE_MS;
export const DAY_MS = 24 * HOUR_MS;

export type EnvironmentKey = 'development' | 'staging' | 'production';
export const ENVIRONMENTS: readonly EnvironmentKey[] = ['development', 'staging', 'production'];

/** A session of the dashboard lasts less than a day of the shop. */
const SESSION_MS = 8 * HOUR_MS;

/** The server in this process, with a clock that the story of the shop moves. */
export interface World {
  /** The time at which the story ends: now. */
  readonly end: number;
  readonly organizationId: string;
  readonly projectId: string;
  readonly environments: Readonly<Record<EnvironmentKey, string>>;
  /** Ids of users. */
  readonly users: Readonly<Record<PersonKey, string>>;
  /** Moves the clock forward to a time before the end, in milliseconds. */
  moveTo(beforeEndMs: number): void;
  now(): number;
  /** Calls the API as this person does by the dashboard. `isFresh` signs in again, which emergencies need. */
  as(person: PersonKey, how?: { readonly isFresh: boolean }): Promise<Api>;
  withKey(apiKey: string): Api;
  /** Runs the background jobs that are due. */
  runJobs(): Promise<void>;
  close(): Promise<void>;
}

/** Creates an installation in an empty database, so many milliseconds ago, with the people of the shop. */
export async function createWorld(
  url: string,
  { beginMs, webhookUrl }: { readonly beginMs: number; readonly webhookUrl: string },
): Promise<World> {
  const end = Date.now();
  const db = await openDatabase(url);
  const server = await startEmptyServer({
    db,
    startAt: end - beginMs,
    outbound: createOutbound({
      allowHttp: true,
      ranges: ['127.0.0.1'],
      ports: [Number(new URL(webhookUrl).port)],
    }),
    sendMail: async () => undefined,
    random: () => 0.5,
  });
  const sessions = new Map<PersonKey, { readonly api: Api; readonly until: number }>();
  const as: World['as'] = async (person, { isFresh } = { isFresh: false }) => {
    const known = sessions.get(person);
    if (known !== undefined && !isFresh && server.now() < known.until) return known.api;
    const { email, browser } = people[person];
    const fromDashboard: typeof server.call = (call) =>
      server.call({
        ...call,
        headers: { 'x-flagsvc-client': 'dashboard', 'user-agent': browser, ...call.headers },
      });
    const { auth } = createApi({ transport: fromDashboard });
    const { access_token: token } = await auth.login({ email, password: PASSWORD });
    const api = createApi({ transport: fromDashboard, token });
    sessions.set(person, { api, until: server.now() + SESSION_MS });
    return api;
  };
  const moveTo = (beforeEndMs: number): void => server.advance(Math.max(0, end - beforeEndMs - server.now()));
  const place = await registerPeople(server.anonymous, as);
  return {
    end,
    ...place,
    moveTo,
    now: server.now,
    as,
    withKey: server.withKey,
    runJobs: async () => void (await server.app.runBackground()),
    close: server.close,
  };
}

async function registerPeople(anonymous: Api, as: World['as']) {
  const users: Partial<Record<PersonKey, string>> = {};
  for (const [key, { name, email }] of Object.entries(people)) {
    await anonymous.auth.register({ email, password: PASSWORD, full_name: name });
    const { id } = await (await as(key as PersonKey)).auth.me();
    users[key as PersonKey] = id;
  }
  const admin = await as('admin');
  const [project] = await admin.projects.list();
  const { id: projectId, organization_id: organizationId } = project!;
  await admin.organizations.update(organizationId, { name: 'Northwind Market' });
  await admin.projects.update(projectId, { name: 'Storefront' });
  const listed = await admin.environments.listOf(projectId);
  const environments = Object.fromEntries(listed.map(({ key, id }) => [key, id])) as World['environments'];
  for (const [key, { role }] of Object.entries(people)) {
    if (key === 'admin') continue;
    const kept = key === 'keptEditor' ? [environments.development, environments.staging] : undefined;
    await admin.members.update(organizationId, users[key as PersonKey]!, {
      role,
      ...(kept && { environment_ids: kept }),
    });
  }
  return { users: users as Readonly<Record<PersonKey, string>>, organizationId, projectId, environments };
}
