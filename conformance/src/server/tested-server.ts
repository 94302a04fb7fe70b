import { createHmac, randomBytes } from 'node:crypto';
import { brief } from '../suite/json-value.ts';
import type { Caller, ServerAnswer, ServerCall } from './http-client.ts';

/** Who is tested, as the command line says it. */
export interface ServerTarget {
  /** With the prefix `/api/v1`. */
  readonly url: string;
  /** Registered if nobody has registered yet, else logged in; must be an admin. */
  readonly adminEmail: string;
  readonly adminPassword: string;
  /** The server's signing secret, to make an expired token with; without it one scenario is skipped. */
  readonly jwtSecret?: string | undefined;
}

/** One environment with a key of its own. */
export interface Place {
  readonly environmentId: string;
  readonly key: string;
}

/** A tested server, entered. Everything the suite makes has a name of its own, so that it can run again. */
export interface World {
  readonly caller: Caller;
  readonly target: ServerTarget;
  /** Different in every run. */
  readonly run: string;
  /** True when the admin was the first to register. */
  readonly fresh: boolean;
  /** The answer to its registration. */
  readonly registration: ServerAnswer;
  readonly projectId: string;
  readonly development: Place;
  readonly staging: Place;
  /** A request as the admin. */
  admin(call: ServerCall): Promise<ServerAnswer>;
  /** A request as someone else: `none`, `viewer`, `key`, `other key`, or a token. */
  as(who: string, call: ServerCall, once?: boolean): Promise<ServerAnswer>;
  /** A project of its own with its environments and a key, for what needs flag keys to itself. */
  createPlace(name: string): Promise<Place & { readonly projectId: string }>;
  /** A text that no run has used. */
  unique(name: string): string;
}

/** The `data` of an answer; throws unless the status is the expected one. */
export const dataOf = <Data>(answer: ServerAnswer, status: number, what: string): Data => {
  if (answer.status !== status) {
    throw new Error(`${what} answered ${answer.status}, not ${status}: ${brief(answer.body, 600)}`);
  }
  return (answer.body as { data: Data }).data;
};

/** Enters: registers or logs in, and makes a project with two environments to work in. */
export const enterWorld = async (caller: Caller, target: ServerTarget): Promise<World> => {
  const run = randomBytes(4).toString('hex');
  let count = 0;
  const unique = (name: string) => `${name}-${run}-${++count}`;
  const credentials = { email: target.adminEmail, password: target.adminPassword };
  const login = async (body: unknown) =>
    dataOf<{ access_token: string }>(
      await caller.send({ method: 'POST', path: '/auth/login', body }),
      200,
      'login',
    );
  const registration = await caller.send({
    method: 'POST',
    path: '/auth/register',
    body: { ...credentials, full_name: 'Suite Admin' },
  });
  if (registration.status === 404 || typeof registration.body !== 'object') {
    throw new Error(
      `POST ${target.url}/auth/register answered ${registration.status}: is --url the base address, with /api/v1?`,
    );
  }
  const { access_token: adminToken } = await login(credentials).catch((error: Error) => {
    if (registration.status !== 409) throw error;
    throw new Error(`${target.adminEmail} is registered here, but not with this --admin-password`);
  });
  let viewerToken: Promise<string> | undefined;
  const viewer = async () => {
    const body = { email: `${unique('viewer')}@example.com`, password: 'a viewer of flags' };
    dataOf(await caller.send({ method: 'POST', path: '/auth/register', body }), 201, 'registration');
    return (await login(body)).access_token;
  };
  const headersOf = async (who: string): Promise<Record<string, string>> => {
    if (who === 'none') return {};
    if (who === 'key') return { 'x-api-key': development.key };
    if (who === 'other key') return { 'x-api-key': staging.key };
    if (who === 'admin') return { authorization: `Bearer ${adminToken}` };
    viewerToken ??= who === 'viewer' ? viewer() : undefined;
    return { authorization: `Bearer ${who === 'viewer' ? await viewerToken : who}` };
  };
  const as = async (who: string, call: ServerCall, once = false): Promise<ServerAnswer> => {
    const whole = { ...call, headers: { ...(await headersOf(who)), ...call.headers } };
    return once ? caller.sendOnce(whole) : caller.send(whole);
  };
  const admin = (call: ServerCall) => as('admin', call);
  const me = dataOf<{ role: string }>(await admin({ method: 'GET', path: '/auth/me' }), 200, 'GET /auth/me');
  if (me.role !== 'admin') {
    throw new Error(
      `${target.adminEmail} has the role ${me.role} here; give --admin-email and --admin-password of an admin`,
    );
  }
  const { createKey, createProject } = projectsOf(admin, unique);
  const project = await createProject('suite');
  const [developmentId, stagingId] = [project.find('development'), project.find('staging')];
  const development = { environmentId: developmentId, key: await createKey(developmentId) };
  const staging = { environmentId: stagingId, key: await createKey(stagingId) };
  return {
    caller,
    target,
    run,
    fresh: registration.status === 201,
    registration,
    projectId: project.id,
    development,
    staging,
    admin,
    as,
    unique,
    async createPlace(name) {
      const { id, find } = await createProject(name);
      const environmentId = find('development');
      return { projectId: id, environmentId, key: await createKey(environmentId) };
    },
  };
};

/** Makes projects and keys, by the endpoints that our control plane has for them. */
const projectsOf = (admin: World['admin'], unique: World['unique']) => ({
  async createKey(environmentId: string): Promise<string> {
    const path = `/environments/${environmentId}/api-keys`;
    const answer = await admin({ method: 'POST', path, body: { name: unique('key') } });
    return dataOf<{ key: string }>(answer, 201, 'POST /environments/{id}/api-keys').key;
  },
  async createProject(name: string) {
    const body = { key: unique(name), name: `Suite ${name}` };
    const { id } = dataOf<{ id: string }>(
      await admin({ method: 'POST', path: '/projects', body }),
      201,
      'POST /projects',
    );
    const environments = dataOf<{ id: string; key: string }[]>(
      await admin({ method: 'GET', path: `/projects/${id}/environments` }),
      200,
      'GET /projects/{id}/environments',
    );
    const find = (key: string): string => {
      const found = environments.find((environment) => environment.key === key);
      if (!found) throw new Error(`a new project has no environment ${key}`);
      return found.id;
    };
    return { id, find };
  },
});

/** The token with its expiry put into the past, signed anew. */
export const expireToken = (token: string, secret: string): string => {
  const [header = '', claims = ''] = token.split('.');
  const read = JSON.parse(Buffer.from(claims, 'base64url').toString()) as { iat: number; exp: number };
  const past = Math.floor(Date.now() / 1000) - 3_600;
  const body = Buffer.from(JSON.stringify({ ...read, iat: past - 60, exp: past })).toString('base64url');
  const signature = createHmac('sha256', secret).update(`${header}.${body}`).digest('base64url');
  return `${header}.${body}.${signature}`;
};
