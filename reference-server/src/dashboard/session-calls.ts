import type { IncomingMessage, ServerResponse } from 'node:http';
import type { LightMyRequestResponse } from 'fastify';
import { decodeJwt } from 'jose';
import { createBodyBudget } from '../http/body-budget.ts';
import { ApiError } from '../http/errors.ts';
import type { PageRequests } from '../http/page-requests.ts';
import { readBody } from '../http/read-body.ts';
import type { DashboardAddress } from './dashboard-address.ts';
import { createRefreshCookie } from './refresh-cookie.ts';
import { sendApiError, sendJson } from './send.ts';

/** Sends a request to the API in this process. */
export type CallApi = (call: {
  readonly path: string;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: string;
  /** The address of the client, or of the proxy before it. */
  readonly remoteAddress: string;
}) => Promise<Pick<LightMyRequestResponse, 'statusCode' | 'headers' | 'body'>>;

export interface SessionCallsDeps {
  readonly address: DashboardAddress;
  readonly callApi: CallApi;
  readonly pages: PageRequests;
}

/** The operations of the API under `/auth` that a page may call without an access token. */
const OPERATIONS: ReadonlySet<string> = new Set([
  '/auth/login',
  '/auth/mfa/verify',
  '/auth/register',
  '/auth/invitations/accept',
  '/auth/password/forgot',
  '/auth/password/reset',
]);
const BODY_BYTES_MAX = 65_536;
const BODY_LIMIT_MS = 15_000;
const BODIES_BYTES_MAX = 4 * 2 ** 20;
/** More values of the cookie than this come from an attacker. */
const COOKIES_MAX = 4;

/** Request headers that the API sees. `Cookie` is not one of them. */
const PASSED_ON = [
  'authorization',
  'content-type',
  'user-agent',
  'x-forwarded-for',
  'x-request-id',
  'accept-language',
] as const;
/** Headers of the API's answer that a page sees. */
const PASSED_BACK = /^(x-request-id|x-ratelimit-.+|retry-after|x-flagsvc-.+)$/;

/** Answers the requests under `/auth`: the API's operations, with the refresh token in a cookie. */
export function createSessionCalls({ address, callApi, pages }: SessionCallsDeps) {
  const cookie = createRefreshCookie(address.origin);

  const call = (request: IncomingMessage, path: string, body: string) => {
    const given = PASSED_ON.map((name) => [name, request.headers[name]] as const);
    const headers = Object.fromEntries(given.filter(([, value]) => value !== undefined));
    return callApi({
      path: `/api/v1${path}`,
      headers: { ...headers, ...pages.proof },
      body,
      remoteAddress: request.socket.remoteAddress ?? '',
    });
  };

  const refreshWith = (request: IncomingMessage, token: string) => {
    request.headers['content-type'] = 'application/json';
    return call(request, '/auth/refresh', JSON.stringify({ refresh_token: token }));
  };

  /**
   * Renews the access token of the cookie's session. Several valid cookies are refused: one of them was planted by
   * another program on this host, and a person must not work in somebody else's session.
   */
  async function refresh(request: IncomingMessage): Promise<Answer> {
    const answers = await refreshEach(request);
    if (answers.length === 0) throw noSession('There is no session; log in.');
    const valid = answers.filter(isOk);
    if (valid.length > 1) throw noSession('The browser sent the cookies of several sessions; log in.');
    return valid[0] ?? answers.find(({ statusCode }) => statusCode !== 401) ?? answers[0]!;
  }

  async function refreshEach(request: IncomingMessage): Promise<readonly Answer[]> {
    const tokens = cookie.read(request.headers.cookie);
    if (tokens.length > COOKIES_MAX) throw noSession('The browser sent too many session cookies; log in.');
    const answers: Answer[] = [];
    for (const token of tokens) answers.push(await refreshWith(request, token));
    return answers;
  }

  /**
   * Ends the session of the access token and that of the cookie. They differ when another person has logged in in
   * another tab.
   */
  async function logout(request: IncomingMessage): Promise<Answer> {
    const answers = await refreshEach(request).catch((error: unknown) => {
      if (error instanceof ApiError) return [];
      throw error;
    });
    // A session that has ended already needs no logout; a refusal such as 429 must reach the page, because it has not.
    const refused = answers.find((one) => !isOk(one) && one.statusCode !== 401);
    if (refused !== undefined) return refused;
    const given = request.headers.authorization;
    const bearers = answers.filter(isOk).map(({ body }) => `Bearer ${accessTokenOf(body)}`);
    const bySession = new Map(
      [...bearers, ...(given === undefined ? [] : [given])].map((one) => [sessionOf(one), one]),
    );
    for (const bearer of bySession.values()) {
      request.headers.authorization = bearer;
      const ended = await call(request, '/auth/logout', '');
      if (!isOk(ended) && ended.statusCode !== 401) return ended;
    }
    return NOTHING;
  }

  async function answer(request: IncomingMessage, response: ServerResponse, path: string): Promise<void> {
    const isKnown = path === '/auth/refresh' || path === '/auth/logout' || OPERATIONS.has(path);
    if (!isKnown) throw new ApiError('NOT_FOUND');
    if (request.method !== 'POST') throw onlyPost(request.method);
    requireOwnPage(request, address);
    const body = await readText(request);
    const answered =
      path === '/auth/refresh'
        ? await refresh(request)
        : path === '/auth/logout'
          ? await logout(request)
          : await call(request, path, body);
    sendAnswer(response, answered, cookieAfter(path, answered));
  }

  function cookieAfter(path: string, { statusCode, body }: Answer): string | undefined {
    if (path === '/auth/logout' && statusCode < 300) return cookie.remove();
    if (path === '/auth/refresh') return statusCode === 401 ? cookie.remove() : undefined;
    const token = statusCode < 300 ? refreshTokenOf(body) : undefined;
    return token === undefined ? undefined : cookie.store(token);
  }

  return (request: IncomingMessage, response: ServerResponse, path: string): void => {
    answer(request, response, path).catch((error: unknown) => {
      if (response.headersSent || response.destroyed) return void response.destroy();
      const known = error instanceof ApiError ? error : new ApiError('INTERNAL_ERROR');
      if (known.code === 'INVALID_REFRESH_TOKEN') response.setHeader('set-cookie', cookie.remove());
      sendApiError(response, known);
    });
  };
}

type Answer = Awaited<ReturnType<CallApi>>;

const isOk = ({ statusCode }: Answer): boolean => statusCode < 300;

const NOTHING: Answer = { statusCode: 204, headers: {}, body: '' };

const noSession = (message: string): ApiError => new ApiError('INVALID_REFRESH_TOKEN', { message });

function onlyPost(method = ''): ApiError {
  const message = `This path does not support ${method}; it supports POST.`;
  return new ApiError('METHOD_NOT_ALLOWED', {
    message,
    details: { allow: ['POST'] },
    headers: { allow: 'POST' },
  });
}

/** Throws CROSS_SITE_REQUEST unless a script of the dashboard's own pages sent the request. */
function requireOwnPage(request: IncomingMessage, address: DashboardAddress): void {
  const isDeclared = request.headers['x-requested-with'] === 'flagsvc-dashboard';
  if (isDeclared && address.isSameOrigin(request)) return;
  throw new ApiError('CROSS_SITE_REQUEST');
}

/** The bodies of all connections together are bounded, as those of the API are. */
const budget = createBodyBudget({ anyone: BODIES_BYTES_MAX });

const readText = (request: IncomingMessage): Promise<string> =>
  new Promise((resolve, reject) => {
    const rules = { sender: 'anyone', limit: BODY_BYTES_MAX, arriveMs: BODY_LIMIT_MS } as const;
    readBody(
      { headers: request.headers, raw: request },
      { payload: request, rules, budget },
      (error, bytes) => (error === null ? resolve(bytes!.toString('utf8')) : reject(error)),
    );
  });

interface Content {
  readonly data?: { access_token?: string; refresh_token?: string; user_id?: string };
}

const contentOf = (body: string): Content => JSON.parse(body || '{}') as Content;
const refreshTokenOf = (body: string): string | undefined => contentOf(body).data?.refresh_token;
const accessTokenOf = (body: string): string | undefined => contentOf(body).data?.access_token;

/** The session of `Bearer …`, or the text itself if it contains no token. */
function sessionOf(bearer: string): unknown {
  try {
    return decodeJwt(bearer.slice('Bearer '.length))['ses'];
  } catch {
    return bearer;
  }
}

/** Sends the API's answer without its refresh token, and with the id of the person who has the session. */
function sendAnswer(response: ServerResponse, answered: Answer, setCookie: string | undefined): void {
  const { statusCode, headers, body } = answered;
  const passed = Object.entries(headers).filter(([name]) => PASSED_BACK.test(name));
  const content = body === '' ? undefined : contentOf(body);
  if (content?.data !== undefined) {
    delete content.data.refresh_token;
    const { access_token: token } = content.data;
    if (token !== undefined) content.data.user_id = decodeJwt(token).sub!;
  }
  sendJson(response, statusCode, {
    ...(content !== undefined && { body: content }),
    headers: {
      ...Object.fromEntries(passed),
      ...(setCookie !== undefined && { 'set-cookie': setCookie }),
    },
  });
}
