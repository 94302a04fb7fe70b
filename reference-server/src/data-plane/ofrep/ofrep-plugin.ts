import type { Context, EvaluationResult } from '@flagsvc/sdk-core';
import type { FastifyPluginCallback, FastifyReply, FastifyRequest, onRequestHookHandler } from 'fastify';
import { addressKey } from '../../http/address-key.ts';
import { bearerOf } from '../../http/bearer.ts';
import type { BodyOptions } from '../../http/body.ts';
import { registerUnknownPaths } from '../../http/error-handler.ts';
import { ApiError } from '../../http/errors.ts';
import { matchesEtag } from '../../http/negotiate.ts';
import type { RateLimiter } from '../../http/rate-limit.ts';
import type { Sealer } from '../../lib/sealed-text.ts';
import { createSdkKeyAuthentication } from '../authenticate-sdk-key.ts';
import { readBodies } from '../bodies.ts';
import { heavyWork, type Steps } from '../evaluate/heavy-work.ts';
import { explain } from '../evaluate/require-work.ts';
import { requireAllowed } from '../key-restrictions.ts';
import type {
  ContextRecorder,
  KeyGrant,
  PublishedRuleset,
  RulesetLookup,
  StreamObserver,
  UsageMeter,
} from '../ports.ts';
import { createStreamHub, type StreamSettings } from '../stream/stream-hub.ts';
import { readContext, requireWork } from './ofrep-context.ts';
import { ofrepDialect } from './ofrep-dialect.ts';
import { describeOfrep } from './ofrep-document.ts';
import { type OfrepErrorCode, registerOfrepErrors } from './ofrep-errors.ts';
import { bulkEtag, toOfrep } from './ofrep-results.ts';
import { openToken, sealToken } from './stream-token.ts';

/** What a host gives the routes of OpenFeature's protocol. */
export interface OfrepOptions {
  /** The server's version, for the protocol's document. */
  readonly version: string;
  readonly lookup: RulesetLookup;
  readonly limiter: RateLimiter;
  /** Encrypts the tokens of streams. */
  readonly sealer: Sealer;
  /** Records evaluated contexts. Absent: none are recorded. */
  readonly recorder?: ContextRecorder;
  /** Records usage. Absent: nothing is recorded. */
  readonly meter?: UsageMeter | undefined;
  /** Wall clock, milliseconds since 1970; default `Date.now`. */
  readonly now?: () => number;
  /** Default `STREAM_DEFAULTS`. */
  readonly streams?: Partial<StreamSettings> | undefined;
  /** Receives what happens to streams. Absent: nothing is observed. */
  readonly streamObserver?: StreamObserver | undefined;
  /** Limits on bodies in flight. Default: a separate budget, and 15 s for a body to arrive. */
  readonly bodies?: BodyOptions | undefined;
}

/** How long a page may be hidden before the provider closes its stream, in seconds. */
const INACTIVITY_SECONDS = 120;

/** OpenFeature's remote evaluation protocol 0.3.0, at the host root. */
export const ofrepPlugin: FastifyPluginCallback<OfrepOptions> = (app, options, done) => {
  // With this prefix, errors for unknown paths below `/ofrep` also have the protocol's shape.
  app.register(ofrepRoutes, { ...options, prefix: '/ofrep' });
  done();
};

const ofrepRoutes: FastifyPluginCallback<OfrepOptions> = (app, options, done) => {
  const { lookup, limiter, sealer, recorder, meter, now = Date.now } = options;
  const authenticate = createSdkKeyAuthentication(lookup, limiter);
  const hub = createStreamHub({
    lookup,
    now,
    settings: options.streams,
    observer: options.streamObserver,
  });
  if (!app.hasRequestDecorator('grant')) app.decorateRequest('grant', null);
  app.addHook('preClose', async () => hub.close());
  registerOfrepErrors(app);
  registerUnknownPaths(app);
  readBodies(app, options.bodies ?? {});
  // Hidden from `/openapi.json`, because the protocol has its own document.
  const evaluation = {
    schema: { hide: true },
    onRequest: [takeBearer, authenticate('evaluation')],
    config: { access: 'apiKey' as const, rateCategory: 'evaluation' as const },
  };
  const named = (operation: string) => ({ ...evaluation, config: { ...evaluation.config, operation } });

  let document: string | undefined;
  app.get('/openapi.json', { schema: { hide: true }, config: { access: 'public' } }, (_request, reply) => {
    document ??= JSON.stringify(describeOfrep(options.version, limiter.limits));
    return reply.type('application/json; charset=utf-8').send(document);
  });

  app.post('/v1/evaluate/flags/:key', named('evaluateFlag'), async (request, reply) => {
    const { key } = request.params as { key: string };
    const context = readContext(request);
    const published = await lookup.current(request.grant!);
    const work = requireWork(published.measure([key], context));
    recorder?.record(published, context);
    meter?.recordEvaluations(request.grant!, 1);
    const [result] = await heavyWork.run(work, evaluateEach(published, [key], context));
    const answer = toOfrep(published.evaluator.ruleset, key, result!);
    if (answer !== undefined) return answer;
    return reply
      .code(404)
      .send({ key, errorCode: 'FLAG_NOT_FOUND', errorDetails: `The flag "${key}" does not exist.` });
  });

  app.post('/v1/evaluate/flags', named('evaluateFlags'), async (request, reply) => {
    const grant = request.grant!;
    const context = readContext(request);
    const published = await lookup.current(grant);
    const etag = bulkEtag(published, context, grant);
    const headers = { etag, 'cache-control': 'private, no-cache' };
    const ifNoneMatch = request.headers['if-none-match'];
    if (ifNoneMatch !== undefined && matchesEtag(ifNoneMatch, etag)) {
      recorder?.record(published, context);
      return reply.code(304).headers(headers).send();
    }
    const { keys, faults, work } = planAll(published, context);
    recorder?.record(published, context);
    reply.headers(headers);
    meter?.recordEvaluations(grant, keys.length);
    const { ruleset } = published.evaluator;
    const results = await heavyWork.run(work, evaluateEach(published, keys, context));
    const flags = results.map((result, place) => toOfrep(ruleset, keys[place]!, result));
    const { version } = published;
    const apiKey = request.headers['x-api-key'] as string;
    const token = sealToken(sealer, { apiKey, version }, now());
    const requestUri = `/ofrep/v1/stream?token=${encodeURIComponent(token)}`;
    return {
      flags: [...flags.filter((flag) => flag !== undefined), ...faults.values()],
      metadata: { version },
      eventStreams: [{ type: 'sse', endpoint: { requestUri }, inactivityDelaySec: INACTIVITY_SECONDS }],
    };
  });

  app.get(
    '/v1/stream',
    {
      schema: { hide: true },
      config: { access: 'apiKey', rateCategory: 'stream', operation: 'streamChanges' },
      exposeHeadRoute: false,
    },
    async (request, reply) => {
      const { apiKey, version } = openToken(sealer, (request.query as { token?: unknown }).token, now());
      const grant = await lookup.authenticate(apiKey);
      if (grant === undefined) throw new ApiError('INVALID_API_KEY');
      requireAllowed(grant, request.headers.origin, request.ip);
      await startStream(request, reply, { grant, apiKey, version });
    },
  );

  async function startStream(
    request: FastifyRequest,
    reply: FastifyReply,
    of: { readonly grant: KeyGrant; readonly apiKey: string; readonly version: number },
  ): Promise<void> {
    const { grant, apiKey, version } = of;
    const countKey = `${grant.keyId} ${addressKey(request.ip)}`;
    limiter.enforce(reply, 'stream', { key: countKey, limit: grant.rateLimits?.stream });
    hub.requireRoom(grant, countKey);
    const published = await lookup.current(grant);
    const lastId = request.headers['last-event-id'];
    const lastVersion = typeof lastId === 'string' && /^\d{1,15}$/.test(lastId) ? Number(lastId) : version;
    reply.hijack();
    const subscriber = { grant, apiKey, countKey, response: reply.raw, dialect: ofrepDialect, lastVersion };
    hub.open(subscriber, published, reply.getHeaders());
  }
  done();
};

/** Accepts `Authorization: Bearer <SDK key>` in place of `X-API-Key`. An empty header counts as absent (decisions/0033). */
const takeBearer: onRequestHookHandler = (request, _reply, done) => {
  const key = bearerOf(request.headers.authorization);
  if (key !== undefined) request.headers['x-api-key'] ||= key;
  done();
};

function* evaluateEach(
  { evaluator }: PublishedRuleset,
  flagKeys: readonly string[],
  context: Context,
): Steps<readonly EvaluationResult[]> {
  const results: EvaluationResult[] = [];
  for (const flagKey of flagKeys) {
    results.push(evaluator.evaluate(flagKey, context));
    yield;
  }
  return results;
}

/** The error of one flag, in place of its result. */
interface OfrepFault {
  readonly key: string;
  readonly errorCode: OfrepErrorCode;
  readonly errorDetails: string;
}

/** The flags to evaluate, and errors for those whose conditions need too much work. */
function planAll(published: PublishedRuleset, context: Context) {
  const all = published.evaluator.ruleset.flags.map(({ key }) => key);
  const faults = new Map<string, OfrepFault>();
  const measured = published.measure('each', context);
  if (typeof measured === 'number') return { keys: all, faults, work: measured };
  for (const key of measured.flagKey === undefined ? [] : all) {
    const own = published.measure([key], context);
    if (typeof own === 'number') continue;
    faults.set(key, { key, errorCode: 'INVALID_CONTEXT', errorDetails: explain(own) });
  }
  const keys = all.filter((key) => !faults.has(key));
  return { keys, faults, work: requireWork(published.measure(keys, context)) };
}
