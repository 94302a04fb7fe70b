import { createRateLimiter } from '../../src/http/rate-limit.ts';
import { type Answer, booleanFlag, type Call, enter, startServer, type TestServer } from '../server.ts';

/** A server, and short ways to bring it into a state. Everything is done by its admin unless said otherwise. */
export interface World {
  readonly server: TestServer;
  /** Of an environment that nothing freezes. */
  readonly environment: string;
  call(method: string, url: string, body?: unknown, headers?: Record<string, string>): Promise<Answer>;
  /** The `data` of a call that must succeed. */
  // biome-ignore lint/suspicious/noExplicitAny: whoever asks knows what is there
  made(method: string, url: string, body?: unknown): Promise<any>;
  as(token: string, method: string, url: string, body?: unknown): Promise<Answer>;
  /** A text that was not used before, good as a key. */
  fresh(): string;
  /** The address of a new flag, with its environment. */
  flag(more?: object): Promise<(path?: string) => string>;
  /** The switch of a flag in a project that is frozen, and the window. */
  frozen(): Promise<{ toggle: string; windowId: string }>;
  /** What the server's clock shows. */
  now(): Promise<number>;
  /** Another admin. */
  otherAdmin(): Promise<string>;
  /** Lets time pass, and logs in again. */
  pass(ms: number): Promise<void>;
}

/** What provokes one code. */
export type Provoke = (world: World) => Promise<Answer>;

/** Long enough for the bodies of a busy machine. */
const BODY_ARRIVE_MS = 3_000;

/** What to do around every call: `before` runs first, and `after` gets the answer. */
interface Around {
  readonly before?: (call: Call, server: TestServer) => Promise<void>;
  readonly after?: (call: Call, answer: Answer) => void;
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

const NO_LIMITS = { auth: 1_000_000, management: 1_000_000, credentials: 1_000_000, bulk: 1_000_000 };
