import { createHmac, randomBytes } from 'node:crypto';
import { brief } from '../suite/json-value.ts';
import type { HttpClient, HttpRequest, HttpResponse } from './http-client.ts';

/** The server to test, as given on the command line. */
export interface ServerTarget {
  /** Includes the prefix `/api/v1`. */
  readonly url: string;
  /** Registered on a fresh server, otherwise logged in. Must be an admin. */
  readonly adminEmail: string;
  readonly adminPassword: string;
  /** The server's signing secret, used to create an expired token. Without it, one scenario is skipped. */
  readonly jwtSecret?: string | undefined;
}

/** An environment and an SDK key for it. */
export interface TestEnvironment {
  readonly environmentId: string;
  readonly key: string;
}

/** How a request is sent. */
export interface SendOptions {
  /** False returns a 429 like any other response. Default true: waits and repeats. */
  readonly retries?: boolean;
}

/**
 * A connected server. Everything that the suite creates has a unique name, so that the suite can run again on the same
 * server.
 */
export interface TestedServer {
  readonly http: HttpClient;
  readonly target: ServerTarget;
  /** A text that is different in every run. */
  readonly run: string;
  /** True when the admin was the first to register. */
  readonly isFresh: boolean;
  /** The response to the admin's registration. */
  readonly registration: HttpResponse;
  readonly projectId: string;
  readonly development: TestEnvironment;
  readonly staging: TestEnvironment;
  /** Sends a request as the admin. */
  admin(request: HttpRequest): Promise<HttpResponse>;
  /** Sends a request as `admin`, `none`, `viewer`, `key`, `other key` or the bearer of a token. */
  as(who: string, request: HttpRequest, options?: SendOptions): Promise<HttpResponse>;
  /** Creates a project, so that a case has all flag keys to itself; returns one of its environments. */
  createProject(name: string): Promise<TestEnvironment & { readonly projectId: string }>;
  /** A name that no run has used. */
  unique(name: string): string;
}

/** The `data` of a response. Throws unless the status is the expected one. */
export const dataOf = <Data>(response: HttpResponse, status: number, what: string): Data => {
  if (response.status !== status) {
    throw new Error(`${what} answered ${response.status}, not ${status}: ${brief(response.body, 600)}`);
  }
  return (response.body as { data: Data }).data;
};

/** Registers or logs in the admin and creates a project. */
export const connectToServer = async (http: HttpClient, target: ServerTarget): Promise<TestedServer> => {
  const run = randomBytes(4).toString('hex');
  let count = 0;
  const unique = (name: string) => `${name}-${run}-${++count}`;
  const credentials = { email: target.adminEmail, password: target.adminPassword };
  const login = async (body: unknown) =>
    dataOf<{ access_token: string }>(
      await http.send({ method: 'POST', path: '/auth/login', body }),
      200,
      'login',
    );
  const registration = await http.send({
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
    throw new Error(`${target.adminEmail} is registered on this server, but not with this --admin-password`);
  });
  let viewerToken: Promise<string> | undefined;
  const viewer = async () => {
    const body = { email: `${unique('viewer')}@example.com`, password: 'a viewer of flags' };
    dataOf(await http.send({ method: 'POST', path: '/auth/register', body }), 201, 'registration');
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
  const as: TestedServer['as'] = async (who, request, { retries = true } = {}) => {
    const whole = { ...request, headers: { ...(await headersOf(who)), ...request.headers } };
    return retries ? http.send(whole) : http.sendWithoutRetry(whole);
  };
  const admin = (request: HttpRequest) => as('admin', request);
  const me = dataOf<{ role: string }>(await admin({ method: 'GET', path: '/auth/me' }), 200, 'GET /auth/me');
  if (me.role !== 'admin') {
    throw new Error(
      `${target.adminEmail} has the role ${me.role} on this server; give --admin-email and --admin-password of an admin`,
    );
  }
  const { createKey, createProject } = projectsOf(admin, unique);
  const project = await createProject('suite');
  const [developmentId, stagingId] = [project.find('development'), project.find('staging')];
  const development = { environmentId: developmentId, key: await createKey(developmentId) };
  const staging = { environmentId: stagingId, key: await createKey(stagingId) };
  return {
    http,
    target,
    run,
    isFresh: registration.status === 201,
    registration,
    projectId: project.id,
    development,
    staging,
    admin,
    as,
    unique,
    async createProject(name) {
      const { id, find } = await createProject(name);
      const environmentId = find('development');
      return { projectId: id, environmentId, key: await createKey(environmentId) };
    },
  };
};

/** Creates projects and SDK keys. These endpoints are not in the specification. */
const projectsOf = (admin: TestedServer['admin'], unique: TestedServer['unique']) => ({
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
      if (!found) throw new Error(`the new project has no environment ${key}`);
      return found.id;
    };
    return { id, find };
  },
});

/** Moves a token's expiry into the past and signs it again. */
export const expireToken = (token: string, secret: string): string => {
  const [header = '', claims = ''] = token.split('.');
  const read = JSON.parse(Buffer.from(claims, 'base64url').toString()) as { iat: number; exp: number };
  const past = Math.floor(Date.now() / 1000) - 3_600;
  const body = Buffer.from(JSON.stringify({ ...read, iat: past - 60, exp: past })).toString('base64url');
  const signature = createHmac('sha256', secret).update(`${header}.${body}`).digest('base64url');
  return `${header}.${body}.${signature}`;
};
