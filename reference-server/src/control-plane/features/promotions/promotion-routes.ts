import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import { Type } from 'typebox';
import { Data, data, Page } from '../../../http/envelope.ts';
import { Comment, Id, Key } from '../../../http/schemas.ts';
import { actorOf } from '../../access/request-actor.ts';
import { changeOptions } from '../../endpoint/change-options.ts';
import { cutPage, pageQuery } from '../../endpoint/paging.ts';
import { route } from '../../endpoint/route.ts';
import { FLAG_NOT_FOUND, FlagParams, RULE_ERRORS, VARIATION_ERRORS } from '../flags/flag-route-parts.ts';
import { Flag, HistoryEntry } from '../flags/flag-schemas.ts';
import { promotionFields } from './promotion-schemas.ts';
import type { PromotionService } from './promotion-service.ts';

const promoteFlag = route({
  access: 'flag.write',
  operationId: 'promoteFlag',
  tag: 'Flags',
  summary: 'Promote a flag',
  description:
    'Copies the configuration of a flag from one environment to others: to all of them or none. Returns the flag in each ' +
    'target. Warns of prerequisites that are off there and of rollouts that shrink.',
  params: FlagParams,
  body: Type.Object({
    source_environment_id: Id,
    target_environment_ids: Type.Array(Id, { minItems: 1, maxItems: 25 }),
    ...promotionFields,
    comment: Type.Optional(Comment),
  }),
  answer: [200, Data(Type.Array(Flag))],
  errors: [...FLAG_NOT_FOUND, 'FLAG_ARCHIVED', ...VARIATION_ERRORS, ...RULE_ERRORS],
  writes: true,
});

const EnvironmentParams = Type.Object({ environment_id: Id });

const promoteEnvironment = route({
  rateCategory: 'bulk',
  writes: true,
  access: 'flag.write',
  operationId: 'promoteEnvironment',
  tag: 'Environments',
  summary: 'Promote an environment',
  description:
    'Copies the configuration of the named flags, or of all flags that differ, to another environment of the same ' +
    'project. Copies either all of them or none. Returns the promoted flags.',
  params: EnvironmentParams,
  body: Type.Object({
    target_environment_id: Id,
    flag_keys: Type.Optional(
      Type.Array(Key, { minItems: 1, maxItems: 1_000, description: 'Default: all flags that differ.' }),
    ),
    ...promotionFields,
    comment: Type.Optional(Comment),
  }),
  answer: [200, Data(Type.Object({ promoted: Type.Array(Type.Object({ id: Type.String(), key: Key })) }))],
  errors: [...FLAG_NOT_FOUND, 'FLAG_ARCHIVED', ...VARIATION_ERRORS, ...RULE_ERRORS],
});

const STATES = ['identical', 'differs', 'only_in_source', 'only_in_target'] as const;

const compareEnvironments = route({
  access: 'environment.read',
  operationId: 'compareEnvironments',
  tag: 'Environments',
  summary: 'Compare two environments',
  description:
    'Compares the flags of two environments by key. The environments may belong to different projects. `changes` is what a promotion from ' +
    'source to target would change. Archived flags are left out.',
  query: Type.Object({
    source: Id,
    target: Id,
    state: Type.Optional(Type.Enum([...STATES], { description: 'Only flags in this state.' })),
    ...pageQuery,
  }),
  answer: [
    200,
    Page(
      Type.Object({
        flag_key: Key,
        name: Type.String(),
        state: Type.Enum([...STATES]),
        changes: HistoryEntry.properties.changes,
      }),
    ),
  ],
  errors: ['ENVIRONMENT_NOT_FOUND'],
});

/** Promotion of configuration from one environment to another, and comparison of environments. */
export const promotionRoutes: FastifyPluginAsyncTypebox<{ promotions: PromotionService }> = async (
  app,
  { promotions },
) => {
  app.post('/flags/:flag_id/promote', promoteFlag, async (request) => {
    const { source_environment_id: sourceId, target_environment_ids: targetIds, ...rest } = request.body;
    const { flag_id: flagId } = request.params;
    const promotion = { flagId, include: rest.include, strategy: rest.strategy, sourceId, targetIds };
    return data(await promotions.promoteFlag(actorOf(request), promotion, changeOptions(request)));
  });

  app.post('/environments/:environment_id/promote', promoteEnvironment, async (request) => {
    const { environment_id: sourceId } = request.params;
    const { target_environment_id: targetId, flag_keys: flagKeys, include, strategy } = request.body;
    const promotion = { sourceId, targetId, flagKeys, include, strategy };
    const options = changeOptions(request);
    const flags = await promotions.promoteEnvironment(actorOf(request), promotion, options);
    return data({ promoted: flags.map(({ id, key }) => ({ id, key })) });
  });

  app.get('/environments/compare', compareEnvironments, async (request) => {
    const { source: sourceId, target: targetId, state } = request.query;
    const all = await promotions.compare(actorOf(request), { sourceId, targetId });
    return cutPage(state === undefined ? all : all.filter((flag) => flag.state === state), request.query);
  });
};
