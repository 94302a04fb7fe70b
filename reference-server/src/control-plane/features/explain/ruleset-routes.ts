import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import { type TObject, Type } from 'typebox';
import { CompiledRuleset } from '../../../data-plane/schemas.ts';
import { Data } from '../../../http/envelope.ts';
import { chooseCoding, matchesEtag } from '../../../http/negotiate.ts';
import { Id } from '../../../http/schemas.ts';
import { actorOf } from '../../access/request-actor.ts';
import { route } from '../../endpoint/route.ts';
import type { ExplainDeps } from './explain-routes.ts';

const RulesetHeaders = Type.Object({
  'If-None-Match': Type.Optional(Type.String({ description: 'The `ETag` of the ruleset that you have.' })),
});

const description = route({
  access: 'flag.read',
  operationId: 'getEnvironmentRuleset',
  tag: 'Environments',
  summary: 'Read the ruleset of an environment',
  description:
    'Returns the ruleset that server keys of the environment get now, so that a page can evaluate it for any context. ' +
    'With the last `ETag` in `If-None-Match`, an unchanged ruleset gets 304 without a body.',
  params: Type.Object({ environment_id: Id }),
  answer: [200, Data(CompiledRuleset)],
  alsoAnswers: { 304: Type.Null({ description: 'Unchanged.' }) },
  errors: ['ENVIRONMENT_NOT_FOUND'],
});
const config = { ...description.config, documentedHeaders: RulesetHeaders as TObject };
const getEnvironmentRuleset = { ...description, config };

/** `GET /environments/{environment_id}/ruleset`: the bytes that SDKs get, for people who may read flags. */
export const environmentRulesetRoutes: FastifyPluginAsyncTypebox<{
  currentRuleset: ExplainDeps['currentRuleset'];
}> = async (app, { currentRuleset }) => {
  app.get('/environments/:environment_id/ruleset', getEnvironmentRuleset, async (request, reply) => {
    const published = await currentRuleset(actorOf(request), request.params.environment_id);
    reply.header('etag', published.etag).header('cache-control', 'private, no-cache');
    const vary = reply.getHeader('vary');
    const depends = 'Authorization, Accept-Encoding';
    reply.header('vary', vary === undefined ? depends : `${vary}, ${depends}`);
    const ifNoneMatch = request.headers['if-none-match'];
    if (ifNoneMatch !== undefined && matchesEtag(ifNoneMatch, published.etag)) return reply.code(304).send();
    const coding = chooseCoding(request.headers['accept-encoding'] as string | undefined);
    const body = await published.body('json', coding);
    if (coding !== 'identity') reply.header('content-encoding', coding);
    // The bytes are already JSON, so no schema serializes them.
    return reply.header('content-type', 'application/json; charset=utf-8').send(body as never);
  });
};
