import type { IncomingHttpHeaders, IncomingMessage, RequestListener } from 'node:http';
import type { FastifyInstance } from 'fastify';
import type { HeaderList } from '../../http/header-list.ts';
import { matchesEtag } from '../../http/negotiate.ts';
import { limitHeaders } from '../../http/rate-limit.ts';
import { requestIdOf } from '../../http/request-id.ts';
import type { PollOptions } from '../ports.ts';
import { rulesetHeaders } from '../ruleset/ruleset-headers.ts';

/**
 * Answers unchanged polls, which are nearly all requests of SDKs, before Fastify sees them; no hook of `app` runs.
 * Leaves every other request to the route, which alone refuses requests.
 */
export function answerPolls(app: FastifyInstance, options: PollOptions, onAnswer: () => void): void {
  const { path, isTooMuch, count, observe } = options;
  const [route] = app.server.listeners('request') as [RequestListener];
  let isClosing = false;
  app.addHook('preClose', async () => {
    isClosing = true;
  });
  const isPoll = ({ url, method, headers }: IncomingMessage): boolean =>
    url === path && method === 'GET' && headers['if-none-match'] !== undefined && !isClosing;

  app.server.off('request', route).on('request', (request, response) => {
    if (!isPoll(request) || isTooMuch?.('data plane') === true) return route(request, response);
    const startedAt = performance.now();
    const headers = notModified(request.headers, options);
    if (headers === undefined) return route(request, response);
    onAnswer();
    response.writeHead(304, headers).end();
    // The answer is one small packet, so waiting until it is sent would cost more than it tells.
    count?.(304, performance.now() - startedAt);
    observe?.(request, startedAt);
  });
}

/** The headers of the answer; undefined if the route has to answer. */
function notModified(headers: IncomingHttpHeaders, { lookup, limiter }: PollOptions): HeaderList | undefined {
  const apiKey = headers['x-api-key'];
  // A server key in a browser gets a warning from the route.
  if (typeof apiKey !== 'string' || headers['sec-fetch-site'] !== undefined) return undefined;
  const grant = lookup.recall?.(apiKey);
  // The route handles client keys, which are counted by address, and keys with address lists, because only the app
  // knows which proxies to trust.
  if (grant === undefined || grant.kind === 'client') return undefined;
  if (grant.allowedOrigins !== undefined || grant.allowedIps !== undefined) return undefined;
  const published = atOnce(lookup.current(grant));
  if (published === undefined || !matchesEtag(headers['if-none-match']!, published.etag)) return undefined;
  const window = limiter.take('ruleset', grant.keyId, grant.rateLimits?.ruleset);
  // The route counts the request again, which does no harm: the window is already used up.
  if (window?.allowed === false) return undefined;
  const limit = window === undefined ? [] : limitHeaders(window);
  return ['x-request-id', requestIdOf(headers), ...limit, ...rulesetHeaders(published)];
}

/**
 * The value if it is known without waiting. A rejection is ignored, because the route looks up again and reports it.
 */
function atOnce<T>(found: T | Promise<T>): T | undefined {
  if (!(found instanceof Promise)) return found;
  found.catch(() => {});
  return undefined;
}
