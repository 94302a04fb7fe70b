import { createRateLimiter } from '../../src/http/rate-limit.ts';
import type { Call, RawAnswer } from '../api-call.ts';
import { booleanFlag, enter, startServer, type TestServer } from '../server.ts';

/** A server, with functions that bring it into certain states. The admin makes all calls unless stated otherwise. */
export interface World {
  readonly server: TestServer;
  /** Id of an environment that is never frozen. */
  readonly environment: string;
  call(method: string, url: string, body?: unknown, headers?: Record<string, string>): Promise<RawAnswer>;
  /** The `data` of a call that must succeed. */
  // biome-ignore lint/suspicious/noExplicitAny: the provocations send and read arbitrary JSON
  made(method: string, url: string, body?: unknown): Promise<any>;
  as(token: string, method: string, url: string, body?: unknown): Promise<RawAnswer>;
  /** A key that is not in use. */
  fresh(): string;
  /**
   * Creates a flag. Returns a function that builds URLs below the URL of the flag, with the environment as a parameter.
   */
  flag(more?: object): Promise<(path?: string) => string>;
  /** Creates a flag in a frozen project. Returns the URL of its toggle and the id of the freeze window. */
  frozen(): Promise<{ toggle: string; windowId: string }>;
  /** The time of the server's clock, in milliseconds since 1970. */
  now(): Promise<number>;
  /** Creates another admin. Returns an access token. */
  otherAdmin(): Promise<string>;
  /** Moves the clock and logs in again. */
  pass(ms: number): Promise<void>;
}

/** Makes the calls that provoke a code. Returns the answer with the code. */
export type Provoke = (world: World) => Promise<RawAnswer>;

/** Long enough for a body to arrive, even on a busy machine. */
const BODY_ARRIVE_MS = 3_000;

/** Callbacks before and after every call. */
interface Around {
  readonly before?: (call: Call, server: TestServer) => Promise<void>;
  readonly after?: (call: Call, answer: RawAnswer) => void;
}

export async function createWorld({ before, after }: Around = {}): Promise<World> {
  const started = await startServer({
    limiter: createRateLimiter({ limits: NO_LIMITS }),
    bodies: { arriveMs: BODY_ARRIVE_MS },
  });
  const server: TestServer = {
    ...started,
    async call(call) {
      await before?.(call, started);
      const answer = await started.call(call);
      after?.(call, answer);
      return answer;
    },
  };
  let token = server.tokens.admin;
  let count = 0;
  const environment = server.environments.development;
  const as: World['as'] = (actor, method, url, body) =>
    server.call({ method: method as 'GET', url, token: actor, ...(body !== undefined && { body }) });
  const call: World['call'] = (method, url, body, headers = {}) =>
    server.call({ method: method as 'GET', url, token, headers, ...(body !== undefined && { body }) });
  const made: World['made'] = async (method, url, body) => {
    const answer = await call(method, url, body);
    if (answer.status >= 400) throw new Error(`${method} ${url}: ${JSON.stringify(answer.body)}`);
    return answer.body?.data;
  };
  const fresh = (): string => `fresh-${++count}`;
  const flagIn = async (environmentId: string, more: object = {}) => {
    const flag = booleanFlag(fresh(), more);
    const { id } = await made('POST', `/flags?environment_id=${environmentId}`, flag);
    return (path = ''): string => `/flags/${id}${path}?environment_id=${environmentId}`;
  };
  return {
    server,
    environment,
    call,
    made,
    as,
    fresh,
    flag: (more) => flagIn(environment, more),
    async frozen() {
      const { id, default_environment_id } = await made('POST', '/projects', { key: fresh(), name: 'F' });
      const url = await flagIn(default_environment_id);
      const window = await made('POST', '/freeze-windows', { name: 'f', scope: { project_ids: [id] } });
      return { toggle: url('/toggle'), windowId: window.id };
    },
    async now() {
      const { created_at } = await server.db
        .selectFrom('sessions')
        .select('created_at')
        .orderBy('id', 'desc')
        .executeTakeFirstOrThrow();
      return Date.parse(created_at);
    },
    async otherAdmin() {
      const other = await enter(server, `${fresh()}@example.com`);
      const url = `/organizations/${server.organizationId}/members/${other.id}`;
      await made('PATCH', url, { role: 'admin' });
      return other.accessToken;
    },
    async pass(ms) {
      server.advance(ms);
      token = (await enter(server, 'admin@example.com')).accessToken;
    },
  };
}

const NO_LIMITS = {
  auth: 1_000_000,
  management: 1_000_000,
  credentials: 1_000_000,
  bulk: 1_000_000,
  preview: 1_000_000,
};
