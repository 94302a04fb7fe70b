import type { FastifyInstance, FastifyReply, FastifyRequest, onRequestHookHandler } from 'fastify';
import { type HeaderList, setHeaders } from '../../http/header-list.ts';
import { chooseCoding, chooseType, matchesEtag } from '../../http/negotiate.ts';
import type { PublishedRuleset, RulesetLookup } from '../ports.ts';
import { RulesetHeaders, rulesetSchema } from '../schemas.ts';
import type { RulesetSigner } from './ruleset-signer.ts';

const CONTENT_TYPES = { json: 'application/json; charset=utf-8', msgpack: 'application/msgpack' } as const;

const VARY = 'X-API-Key, Accept, Accept-Encoding';

/** Of 200 and 304 alike; `vary` is what the answer depends on besides. */
export function rulesetHeaders({ etag }: PublishedRuleset, vary?: string): HeaderList {
  return [
    'etag',
    etag,
    'cache-control',
    'private, no-cache',
    'vary',
    vary === undefined ? VARY : `${vary}, ${VARY}`,
  ];
}

/** `GET /sdk/ruleset`: everything is made before it is asked for, so that an answer is headers and bytes. */
export function rulesetRoute(
  app: FastifyInstance,
  deps: {
    readonly lookup: RulesetLookup;
    readonly admit: onRequestHookHandler;
    readonly signer: RulesetSigner | undefined;
  },
): void {
  const { lookup, admit, signer } = deps;
  app.get(
    '/sdk/ruleset',
    {
      schema: rulesetSchema,
      onRequest: admit,
      config: { access: 'apiKey', rateCategory: 'ruleset', documentedHeaders: RulesetHeaders },
    },
    (request, reply) => {
      const published = lookup.current(request.grant!);
      const send = (found: PublishedRuleset): void => {
        answer(request, reply, found, signer);
      };
      const fail = (error: unknown): void => void reply.send(error);
      if (published instanceof Promise) published.then(send).catch(fail);
      else send(published);
    },
  );
}

function answer(
  request: FastifyRequest,
  reply: FastifyReply,
  published: PublishedRuleset,
  signer: RulesetSigner | undefined,
): void {
  const { headers } = request;
  // Whoever allowed the request's origin has written `Origin` there.
  setHeaders(reply, rulesetHeaders(published, reply.getHeader('vary') as string | undefined));
  const ifNoneMatch = headers['if-none-match'];
  if (ifNoneMatch !== undefined && matchesEtag(ifNoneMatch, published.etag)) {
    reply.code(304).send();
    return;
  }
  const type = chooseType(headers.accept);
  const coding = chooseCoding(headers['accept-encoding'] as string | undefined);
  reply.header('content-type', CONTENT_TYPES[type]);
  if (coding !== 'identity') reply.header('content-encoding', coding);
  const send = ([body, signature]: readonly [Uint8Array, string | undefined]): void => {
    if (signature !== undefined) reply.header('x-flagsvc-signature', signature);
    reply.send(body);
  };
  const body = published.body(type, coding);
  // Whoever is told that nothing has changed has the signature, too.
  const signature = signer?.sign(published);
  if (body instanceof Promise || signature instanceof Promise) {
    Promise.all([body, signature]).then(send, (error) => reply.removeHeader('content-encoding').send(error));
  } else {
    send([body, signature]);
  }
}
