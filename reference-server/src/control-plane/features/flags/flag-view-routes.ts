import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import { Type } from 'typebox';
import { Page, page } from '../../../http/envelope.ts';
import { Key } from '../../../http/schemas.ts';
import { actorOf } from '../../access/request-actor.ts';
import { cutPage, pageOf, pageQuery } from '../../endpoint/paging.ts';
import { route } from '../../endpoint/route.ts';
import { addressOf, EnvironmentQuery, FLAG_NOT_FOUND, FlagParams } from './flag-route-parts.ts';
import { Flag, HistoryEntry, VariationKey } from './flag-schemas.ts';
import type { FlagService } from './flag-service.ts';

const tag = 'Flags';

const listFlagEnvironments = route({
  access: 'flag.read',
  operationId: 'listFlagEnvironments',
  tag,
  summary: 'Read a flag in all environments',
  description: 'Returns the flag once for each environment of its project, by position.',
  params: FlagParams,
  query: Type.Object(pageQuery),
  answer: [200, Page(Flag)],
  errors: ['FLAG_NOT_FOUND'],
});

const listFlagDependents = route({
  access: 'flag.read',
  operationId: 'listFlagDependents',
  tag,
  summary: 'List the dependents of a flag',
  description:
    'Returns the flags that have this one as a prerequisite, with the environment and the variation that they require.',
  params: FlagParams,
  query: Type.Object(pageQuery),
  answer: [
    200,
    Page(
      Type.Object({
        flag_id: Type.String(),
        flag_key: Key,
        environment_id: Type.String(),
        variation: VariationKey,
      }),
    ),
  ],
  errors: ['FLAG_NOT_FOUND'],
});

const listFlagHistory = route({
  access: 'flag.read',
  operationId: 'listFlagHistory',
  tag,
  summary: 'List the history of a flag',
  description: 'Returns the audit entries of the flag that concern the environment, newest first.',
  params: FlagParams,
  query: Type.Object({ ...EnvironmentQuery.properties, ...pageQuery }),
  answer: [200, Page(HistoryEntry)],
  errors: FLAG_NOT_FOUND,
});

/** Views of one flag: across environments, its dependents, its history. */
export const flagViewRoutes: FastifyPluginAsyncTypebox<{ flags: FlagService }> = async (app, { flags }) => {
  app.get('/flags/:flag_id/environments', listFlagEnvironments, async (request) =>
    cutPage(await flags.listAcrossEnvironments(actorOf(request), request.params.flag_id), request.query),
  );

  app.get('/flags/:flag_id/dependents', listFlagDependents, async (request) =>
    cutPage(await flags.dependents(actorOf(request), request.params.flag_id), request.query),
  );

  app.get('/flags/:flag_id/history', listFlagHistory, async (request) => {
    const range = pageOf(request.query);
    const { entries, total } = await flags.history(actorOf(request), addressOf(request), range);
    return page(entries, { ...range, total });
  });
};
