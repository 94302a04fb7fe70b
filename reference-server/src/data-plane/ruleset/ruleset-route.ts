import type { FastifyInstance, FastifyReply, FastifyRequest, onRequestHookHandler } from 'fastify';
import type { Type } from 'typebox';
import { ApiError } from '../../http/errors.ts';
import { setHeaders } from '../../http/header-list.ts';
import { chooseCoding, chooseType, matchesEtag } from '../../http/negotiate.ts';
import type { KeyGrant, PublishedRuleset, RulesetLookup } from '../ports.ts';
import { RulesetHeaders, type RulesetQuery, rulesetSchema } from '../schemas.ts';
import { rulesetHeaders } from './ruleset-headers.ts';
import type { RulesetSigner } from './ruleset-signer.ts';

const CONTENT_TYPES = { json: 'application/json; charset=utf-8', msgpack: 'application/msgpack' } as const;

/** `GET /sdk/ruleset`. Bodies are made once per version, so an answer only combines headers with an existing buffer. */
export function rulesetRoute(
  app: FastifyInstance,
  deps: {
    readonly lookup: RulesetLookup;
    readonly authenticate: onRequestHookHandler;
    readonly signer: RulesetSigner | undefined;
  },
): void {
  const { lookup, authenticate, signer } = deps;
  app.get<{ Querystring: Type.Static<typeof RulesetQuery> }>(
    '/sdk/ruleset',
    {
      schema: rulesetSchema,
      onRequest: authenticate,
      config: { access: 'apiKey', rateCategory: 'ruleset', documentedHeaders: RulesetHeaders },
    },
    (request, reply) => {
      const published = lookup.current(viewerOf(request.grant!, request.query.view));
      const send = (found: PublishedRuleset): void => {
        if (!sendNotModified(request, reply, found)) sendBody(request, reply, { published: found, signer });
      };
      const fail = (error: unknown): void => void reply.send(error);
      if (published instanceof Promise) published.then(send).catch(fail);
      else send(published);
    },
  );
}

/** The grant whose ruleset is sent: a relay may fetch what its page keys see. */
function viewerOf(grant: KeyGrant, view: 'client' | undefined): KeyGrant {
  if (view === undefined) return grant;
  const { kind } = grant;
  if (kind !== 'relay') throw new ApiError('KEY_KIND_NOT_ALLOWED', { details: { kind, allowed: ['relay'] } });
  return { ...grant, kind: view };
}

/** Writes the headers and, for a client that has this version, sends 304; returns whether it did. */
function sendNotModified(
  { headers }: FastifyRequest,
  reply: FastifyReply,
  published: PublishedRuleset,
): boolean {
  // CORS may have set `Vary: Origin`.
  setHeaders(reply, rulesetHeaders(published, reply.getHeader('vary') as string | undefined));
  const ifNoneMatch = headers['if-none-match'];
  if (ifNoneMatch === undefined || !matchesEtag(ifNoneMatch, published.etag)) return false;
  reply.code(304).send();
  return true;
}

function sendBody(
  { headers, grant }: FastifyRequest,
  reply: FastifyReply,
  {
    published,
    signer,
  }: {
    readonly published: PublishedRuleset;
    readonly signer: RulesetSigner | undefined;
  },
): void {
  const type = chooseType(headers.accept);
  const coding = chooseCoding(headers['accept-encoding'] as string | undefined);
  if (grant?.kind === 'relay') reply.header('x-flagsvc-epoch', published.epoch);
  reply.header('content-type', CONTENT_TYPES[type]);
  if (coding !== 'identity') reply.header('content-encoding', coding);
  const send = ([body, signature]: readonly [Uint8Array, string | undefined]): void => {
    if (signature !== undefined) reply.header('x-flagsvc-signature', signature);
    reply.send(body);
  };
  const body = published.body(type, coding);
  // A 304 needs no signature: the client has the one from its 200.
  const signature = signer?.sign(published);
  if (body instanceof Promise || signature instanceof Promise) {
    Promise.all([body, signature]).then(send, (error) => reply.removeHeader('content-encoding').send(error));
  } else {
    send([body, signature]);
  }
}
