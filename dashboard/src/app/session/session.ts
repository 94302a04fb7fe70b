import { ApiProblem, readProblem } from '../../api/problem.ts';

/**
 * `starting`: not known yet. `unreachable`: not known either, because the server did not answer the first question; the
 * page asks again until it does. `out`: nobody is signed in. `in`: somebody is. `ended`: the session ended while a page
 * was open; the page stays, under a dialog that asks for the password.
 */
export type SessionState = 'starting' | 'unreachable' | 'out' | 'in' | 'ended';

/** Session calls that the dashboard's server forwards; the refresh token stays in its cookie. */
export type SessionCall =
  | '/login'
  | '/register'
  | '/mfa/verify'
  | '/invitations/accept'
  | '/password/reset'
  | '/password/forgot'
  | '/reauthenticate';

export interface Session {
  readonly state: () => SessionState;
  /** Tells of every change of the state. Returns the way to stop. */
  subscribe(listener: () => void): () => void;
  /**
   * Asks for an access token with the cookie. Called once when the page opens. While the server is away or busy it asks
   * again, at most every 15 s: a page that opens during a restart must not sign anybody out.
   */
  start(): Promise<void>;
  /** A call that can open a session: the answer's data, without the token. Throws an ApiProblem. */
  enter(call: SessionCall, body: object): Promise<Readonly<Record<string, unknown>>>;
  /** Ends the session in this and all other tabs. Throws an ApiProblem if it goes on. */
  leave(): Promise<void>;
  /** Sends a request with the access token, renewed when it is about to expire or was refused. */
  send(request: Request): Promise<Response>;
}

export interface SessionPorts {
  readonly fetch: (input: Request | string, init?: RequestInit) => Promise<Response>;
  /** Milliseconds from any clock that does not go back. */
  readonly monotonic: () => number;
  readonly pause?: (ms: number) => Promise<void>;
  /** To the other tabs; undefined where the browser has none. */
  readonly channel?: Pick<BroadcastChannel, 'postMessage' | 'addEventListener'> | undefined;
  /** Called with the id of a person who signs in, and with undefined when the person has signed out. */
  readonly onPerson?: (id: string | undefined) => void;
}

/** A token is renewed this long before it expires. */
const MARGIN_MS = 60_000;
/** Until the first and the last repeated question of `start`. */
const PAUSE_MS = { first: 1_000, last: 15_000 };
const LEFT = 'left';

/** The session of this tab. The access token lives in this closure and nowhere else. */
export function createSession(ports: SessionPorts): Session {
  const { fetch, monotonic, pause = wait, channel, onPerson } = ports;
  let current: SessionState = 'starting';
  let token: string | undefined;
  let person: unknown;
  let expiresAt = 0;
  let renewing: Promise<boolean> | undefined;
  const listeners = new Set<() => void>();

  const set = (next: SessionState): void => {
    if (next === current) return;
    current = next;
    for (const listener of listeners) listener();
  };
  const keep = (data: Readonly<Record<string, unknown>>): void => {
    if (typeof data['access_token'] !== 'string') return;
    token = data['access_token'];
    expiresAt = monotonic() + Number(data['expires_in'] ?? 0) * 1000;
    if (person !== data['user_id']) onPerson?.(String(data['user_id']));
    person = data['user_id'];
    set('in');
  };
  const forget = (next: SessionState): void => {
    token = undefined;
    set(next);
  };
  const left = (): void => {
    person = undefined;
    onPerson?.(undefined);
    forget('out');
  };
  const post = async (path: string, body?: object): Promise<Response> => {
    try {
      return await fetch(`/auth${path}`, {
        method: 'POST',
        headers: {
          'x-requested-with': 'flagsvc-dashboard',
          ...(body && { 'content-type': 'application/json' }),
          // The cookie can belong to somebody who signed in later, in another tab.
          ...(path === '/logout' && token !== undefined && { authorization: `Bearer ${token}` }),
        },
        credentials: 'same-origin',
        ...(body && { body: JSON.stringify(body) }),
      });
    } catch (error) {
      throw new ApiProblem({ status: 0, code: 'UNREACHABLE', message: String(error) });
    }
  };
  /** All requests that need a new token wait for the same one. False: the session has ended. */
  const renew = (): Promise<boolean> => {
    renewing ??= (async () => {
      const response = await post('/refresh');
      const body = await bodyOf(response);
      // The person signed out while the question was under way.
      if (current === 'out') return false;
      if (!response.ok && response.status !== 401 && response.status !== 403)
        throw readProblem(response, body);
      const data = response.ok ? dataOf(body) : {};
      // Nothing of this tab may be saved for another person, who has signed in in another tab.
      const isValid = response.ok && (person === undefined || person === data['user_id']);
      if (isValid) keep(data);
      else forget(current === 'in' ? 'ended' : 'out');
      return isValid;
    })().finally(() => {
      renewing = undefined;
    });
    return renewing;
  };

  channel?.addEventListener('message', ({ data }) => {
    if (data === LEFT) left();
  });

  return {
    state: () => current,
    subscribe(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    async start() {
      for (let ms = PAUSE_MS.first; isUnknown(current); ms = Math.min(2 * ms, PAUSE_MS.last))
        try {
          if (!(await renew())) set('out');
        } catch {
          if (current === 'starting') set('unreachable');
          await pause(ms);
        }
    },
    async enter(call, body) {
      const response = await post(call, body);
      const answer = await bodyOf(response);
      if (!response.ok) throw readProblem(response, answer);
      const { access_token: _, ...data } = dataOf(answer);
      keep(dataOf(answer));
      return data;
    },
    async leave() {
      const response = await post('/logout');
      if (!response.ok) throw readProblem(response, await bodyOf(response));
      left();
      channel?.postMessage(LEFT);
    },
    async send(request) {
      if (token !== undefined && monotonic() > expiresAt - MARGIN_MS) await renew();
      const retry = request.clone();
      const response = await fetch(withToken(request, token));
      if (response.status !== 401 || token === undefined || !(await isRefusedToken(response)))
        return response;
      return (await renew()) ? fetch(withToken(retry, token)) : response;
    },
  };
}

function withToken(request: Request, token: string | undefined): Request {
  if (token !== undefined) request.headers.set('authorization', `Bearer ${token}`);
  return request;
}

const isUnknown = (state: SessionState): boolean => state === 'starting' || state === 'unreachable';

const wait = (ms: number): Promise<void> => new Promise((resolve) => void setTimeout(resolve, ms));

/** A 401 can also mean a wrong code or password, which no new token would change. */
async function isRefusedToken(response: Response): Promise<boolean> {
  const { code } = readProblem(response, await bodyOf(response.clone()));
  return ['UNAUTHENTICATED', 'INVALID_TOKEN', 'TOKEN_EXPIRED'].includes(code);
}

async function bodyOf(response: Response): Promise<unknown> {
  try {
    return await response.json();
  } catch {
    return undefined;
  }
}

function dataOf(body: unknown): Readonly<Record<string, unknown>> {
  const data = (body as { data?: unknown } | undefined)?.data;
  return typeof data === 'object' && data !== null ? (data as Readonly<Record<string, unknown>>) : {};
}
