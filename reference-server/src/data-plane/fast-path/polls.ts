import type { IncomingHttpHeaders, IncomingMessage, RequestListener } from 'node:http';
import type { FastifyInstance } from 'fastify';
import type { HeaderList } from '../../http/header-list.ts';
import type { CountAnswer } from '../../http/metrics.ts';
import { matchesEtag } from '../../http/negotiate.ts';
import { limitHeaders, type RateLimiter } from '../../http/rate-limit.ts';
import { requestIdOf } from '../../http/request-id.ts';
import type { RequestKind } from '../../http/shed-load.ts';
import type { KeyGrant, RulesetLookup } from '../ports.ts';
import { rulesetHeaders } from '../ruleset/ruleset-route.ts';

export interface PollDeps {
  /** Where `GET /sdk/ruleset` is. */
  readonly path: string;
  /** `recall` finds keys in memory; only the route looks others up, because it limits who may ask. */
  readonly lookup: Pick<RulesetLookup, 'current'> & { recall(apiKey: string): KeyGrant | undefined };
  readonly limiter: RateLimiter;
  /** Absent: there is never too much. */
  readonly isTooMuch?: ((kind: RequestKind) => boolean) | undefined;
  /** Absent: nobody counts. */
  readonly count?: CountAnswer | undefined;
}

/**
 * Answers polls that find nothing new before the framework makes anything of them: they are nearly all that SDKs ask
 * (decisions/0038). Hooks of `app` do not see them. Whatever is not plainly such a poll is left to the route, which
 * alone refuses, and nothing of it has been counted.
 */
export function answerPolls(app: FastifyInstance, deps: PollDeps): void {
  const { path, isTooMuch, count } = deps;
  const [route] = app.server.listeners('request') as [RequestListener];
  let isClosing = false;
  app.addHook('preClose', async () => {
    isClosing = true;
  });
  const isPoll = ({ url, method, headers }: IncomingMessage): boolean =>
    url === path && method === 'GET' && headers['if-none-match'] !== undefined && !isClosing;

  app.server.off('request', route).on('request', (request, response) => {
    if (!isPoll(request) || isTooMuch?.('data plane') === true) return route(request, response);
    const headers = notModified(request.headers, deps);
    if (headers === undefined) return route(request, response);
    if (count !== undefined) {
      const begun = performance.now();
      response.once('finish', () => count('data', 304, performance.now() - begun));
    }
    response.writeHead(304, headers).end();
  });
}

/** The headers of the answer; undefined where the route has to look closer. */
function notModified(headers: IncomingHttpHeaders, { lookup, limiter }: PollDeps): HeaderList | undefined {
  const apiKey = headers['x-api-key'];
  // Browsers are warned of keys that do not belong there.
  if (typeof apiKey !== 'string' || headers['sec-fetch-site'] !== undefined) return undefined;
  const grant = lookup.recall(apiKey);
  // A page's key is counted by address, too, and a list of addresses needs the proxies that are believed.
  if (grant === undefined || grant.kind === 'client') return undefined;
  if (grant.allowedOrigins !== undefined || grant.allowedIps !== undefined) return undefined;
  const published = atOnce(lookup.current(grant));
  if (published === undefined || !matchesEtag(headers['if-none-match']!, published.etag)) return undefined;
  const window = limiter.take('ruleset', grant.keyId);
  // Asking again, as the route does, takes nothing from a window in which nothing is left.
  if (!window.allowed) return undefined;
  return ['x-request-id', requestIdOf(headers), ...limitHeaders(window), ...rulesetHeaders(published)];
}

/** What is known without waiting. To wait, and to hear what went wrong, is the route's, which asks again. */
function atOnce<T>(found: T | Promise<T>): T | undefined {
  if (!(found instanceof Promise)) return found;
  found.catch(() => {});
  return undefined;
}
