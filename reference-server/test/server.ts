import type { FastifyInstance } from 'fastify';
import { buildServer } from '../src/app/build-server.ts';
import type { ServerDeps } from '../src/app/server-deps.ts';
import type { Role } from '../src/control-plane/access/roles.ts';
import { createMemoryRateStore } from '../src/http/memory-rate-store.ts';
import { createRateLimiter } from '../src/http/rate-limit.ts';
import type { Database, EventDatabase } from '../src/storage/database.ts';
import { eventsOf } from '../src/storage/events/event-database.ts';
import { type Api, createApi } from './api.ts';
import type { Body, Transport } from './api-call.ts';

import { isOnPostgres, openTestDatabase } from './database.ts';
import { canSnapshot, takeSnapshot } from './snapshot.ts';
import { createAppTransport } from './transports.ts';

/** A server on a new database, with one user of each role and the default project. */
export interface TestServer {
  readonly app: FastifyInstance;
  readonly db: Database;
  readonly events: EventDatabase;
  /** Access tokens by role. */
  readonly tokens: Readonly<Record<Role, string>>;
  /** Ids of the default project's environments, by key. */
  readonly environments: Readonly<Record<'development' | 'staging' | 'production', string>>;
  readonly projectId: string;
  readonly organizationId: string;
  /** Moves the clock. */
  advance(ms: number): void;
  /** Sends a request that the clients cannot express. */
  call: Transport;
  /** A client of the user with this role; production is its environment. */
  as(role: Role): Api;
  /** A client with this access token or machine token. */
  withToken(token: string): Api;
  /** A client without credentials. */
  readonly anonymous: Api;
  /** A client of the data plane with this API key. */
  withKey(key: string): Api;
  close(): Promise<void>;
}

export const PASSWORD = 'correct horse';
/** The secrets that all test servers share: a server does not start if its API secret differs from the one its database was created with (decisions/0029). */
export const SECRETS = {
  jwtSecretKey: 'test-jwt-secret-key-of-32-characters',
  apiSecretKey: 'test-api-secret-key-of-32-characters',
};

const HIGH_LIMITS = {
  auth: 1_000,
  management: 1_000_000,
  credentials: 1_000_000,
  bulk: 1_000_000,
  preview: 1_000_000,
};

const START = Date.parse('2026-11-20T10:00:00.000Z');

type ServerOptions = Partial<ServerDeps> & {
  readonly limits?: Record<string, number>;
  /** The time at which the clock starts, in milliseconds since 1970. */
  readonly startAt?: number;
};

/** A server without users. Rate limits are high unless given. Every answer is checked against `/openapi.json`. */
export async function startEmptyServer(options: ServerOptions = {}) {
  const { db = await openTestDatabase(), limits = HIGH_LIMITS, startAt = START, ...deps } = options;
  let time = startAt;
  const now = (): number => time;
  const app = await buildServer({
    db,
    ...SECRETS,
    limiter: createRateLimiter({ limits, store: createMemoryRateStore({ now, monotonic: now }) }),
    version: '0.0.0-test',
    now,
    fastPath: true,
    ...deps,
  });
  await app.ready();
  const send = createAppTransport(app);
  const call: Transport = (request) => {
    // Each call advances the clock by a millisecond, so that no two writes have the same time.
    time += 1;
    return send(request);
  };
  return {
    app,
    db,
    events: eventsOf(db),
    call,
    anonymous: createApi({ transport: call }),
    withToken: (token: string) => createApi({ transport: call, token }),
    withKey: (apiKey: string) => createApi({ transport: call, apiKey }),
    advance: (ms: number) => {
      time += ms;
    },
    now,
    async close() {
      await app.close();
      await db.destroy();
    },
  };
}

/** A user with a new session. */
export interface Entered {
  readonly id: string;
  readonly role: Role;
  readonly accessToken: string;
  readonly refreshToken: string;
  /** A client of the session. */
  readonly api: Api;
}

/** Logs in with a new session; registers the user first if the email is unknown. */
export async function enter(server: Pick<TestServer, 'call'>, email: string): Promise<Entered> {
  const body = { email, password: PASSWORD };
  const { auth } = createApi({ transport: server.call });
  await auth.register(body).answer;
  const { access_token: accessToken, refresh_token: refreshToken } = await auth.login(body);
  const api = createApi({ transport: server.call, token: accessToken });
  const { id, role } = await api.auth.me();
  return { id, role, accessToken, refreshToken, api };
}

type EmptyServer = Awaited<ReturnType<typeof startEmptyServer>>;
type Users = Pick<TestServer, 'tokens' | 'environments' | 'projectId' | 'organizationId'>;

/** Options that do not affect the contents of the database of a new server. */
const STATELESS: readonly string[] = ['limits', 'logger', 'outbound', 'random', 'sendMail'];
/** The state of the first server of this process. Later servers start from it, because hashing passwords is slow. */
let first: { readonly users: Users; readonly startAt: number; open(): Promise<Database> } | undefined;

/** A server with an admin, an editor and a viewer. */
export async function startServer(options: Omit<ServerOptions, 'startAt'> = {}): Promise<TestServer> {
  const isUsual = Object.keys(options).every((name) => STATELESS.includes(name));
  if (isUsual && first !== undefined) {
    const { users, startAt, open } = first;
    return withClients(await startEmptyServer({ ...options, db: await open(), startAt }), users);
  }
  const server = await startEmptyServer(options);
  const users = await addUsers(server);
  if (isUsual && canSnapshot && !isOnPostgres)
    first = { users, startAt: server.now(), open: await takeSnapshot(server.db) };
  return withClients(server, users);
}

async function addUsers(server: EmptyServer): Promise<Users> {
  const admin = await enter(server, 'admin@example.com');
  const editor = await enter(server, 'editor@example.com');
  const viewer = await enter(server, 'viewer@example.com');
  await server.db
    .updateTable('memberships')
    .set({ role: 'editor' })
    .where('user_id', '=', editor.id)
    .execute();
  const [project] = await viewer.api.projects.list();
  const environments = await viewer.api.environments.listOf(project!.id);
  return {
    tokens: { admin: admin.accessToken, editor: editor.accessToken, viewer: viewer.accessToken },
    projectId: project!.id,
    organizationId: project!.organization_id,
    environments: Object.fromEntries(environments.map(({ key, id }) => [key, id])) as Users['environments'],
  };
}

function withClients(server: EmptyServer, users: Users): TestServer {
  const environmentId = users.environments.production;
  const withToken = (token: string): Api => createApi({ transport: server.call, token, environmentId });
  return { ...server, ...users, withToken, as: (role) => withToken(users.tokens[role]) };
}

export type FlagBody = Body<'POST /flags'>;
export type RuleBody = NonNullable<Body<'PUT /flags/{flag_id}'>['targeting_rules']>[number];
export type ConditionBody = RuleBody['conditions'][number];

/** The body of a valid boolean flag. */
export function booleanFlag(key: string, more: Partial<FlagBody> = {}): FlagBody {
  return {
    key,
    name: `Flag ${key}`,
    flag_type: 'boolean',
    variations: [
      { key: 'on', name: 'On', value: true },
      { key: 'off', name: 'Off', value: false },
    ],
    default_variation: 'off',
    ...more,
  };
}
