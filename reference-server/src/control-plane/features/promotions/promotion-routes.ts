import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import type { Context } from '@flagsvc/sdk-core';
import { Type } from 'typebox';
import { Data, data, Page } from '../../../http/envelope.ts';
import { invalid } from '../../../http/errors.ts';
import { Comment, Id, Key } from '../../../http/schemas.ts';
import { warn } from '../../../http/warnings.ts';
import { actorOf } from '../../access/request-actor.ts';
import { changeOptions } from '../../endpoint/change-options.ts';
import { cutPage, pageQuery } from '../../endpoint/paging.ts';
import { route, withWarnings } from '../../endpoint/route.ts';
import { BulkBody, BulkResult, checkBulk } from '../flags/bulk/bulk-schemas.ts';
import type { BulkService } from '../flags/bulk/bulk-service.ts';
import {
  addressOf,
  EnvironmentQuery,
  FLAG_NOT_FOUND,
  FlagParams,
  RULE_ERRORS,
  VARIATION_ERRORS,
} from '../flags/flag-route-parts.ts';
import { Flag, HistoryEntry } from '../flags/flag-schemas.ts';
import { Instructions } from '../flags/plans/instructions.ts';
import type { PreviewService } from '../flags/preview/preview-service.ts';
import { ContextBody } from '../targeting/context-schema.ts';
import { promotionFields } from './promote-plan.ts';
import type { PromotionService } from './promotion-service.ts';

const bulk = { rateCategory: 'bulk', writes: true } as const;

const promoteFlag = route({
  access: 'flag.write',
  operationId: 'promoteFlag',
  tag: 'Flags',
  summary: "Carry a flag's configuration from one environment to others, all or none",
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
  ...bulk,
  access: 'flag.write',
  operationId: 'promoteEnvironment',
  tag: 'Environments',
  summary: 'Carry the configuration of flags from one environment to another, all or none',
  params: EnvironmentParams,
  body: Type.Object({
    target_environment_id: Id,
    flag_keys: Type.Optional(
      Type.Array(Key, { minItems: 1, maxItems: 1_000, description: 'Default: all that differ.' }),
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
  summary: 'Compare the flags of two environments by key',
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

const Shown = Type.Object({ variation_key: Type.String(), reason: Type.String() });

const previewFlag = route({
  rateCategory: 'bulk',
  access: 'flag.read',
  operationId: 'previewFlag',
  tag: 'Flags',
  summary: 'Say what instructions would do to contexts, and to flags that wait for this one',
  params: FlagParams,
  query: EnvironmentQuery,
  body: Type.Object({
    instructions: Instructions,
    contexts: Type.Optional(
      Type.Array(ContextBody, { minItems: 1, maxItems: 1_000, description: 'These, or a sample.' }),
    ),
    sample: Type.Optional(
      Type.Enum(['recent'], {
        description:
          'The contexts that the environment was asked about in the last 24 hours, at most 1,000: its ' +
          '`record_contexts` must be on. With `contexts: 0` none were recorded so far. User keys are pseudonyms in ' +
          'them: percentages come out right, which users it would be does not, and no condition on a user key is met. ' +
          'Contexts with texts too long for the regular expressions that read them are left out.',
      }),
    ),
  }),
  answer: [
    200,
    withWarnings(
      Data(
        Type.Object({
          contexts: Type.Integer({ description: 'Contexts that were evaluated.' }),
          changed: Type.Integer({ description: 'Contexts that would get another variation.' }),
          transitions: Type.Array(
            Type.Object({ from: Type.String(), to: Type.String(), count: Type.Integer() }),
          ),
          examples: Type.Array(Type.Object({ context: ContextBody, from: Shown, to: Shown })),
          dependents: Type.Array(Type.Object({ flag_key: Key, changed: Type.Integer() })),
          unrecorded_attributes: Type.Optional(
            Type.Array(Type.String(), {
              description:
                'Of a sample: what the flag would ask about and no context of it has. They were not sent, or no rule ' +
                'has asked about them so far; `user_key` is never recorded.',
            }),
          ),
        }),
      ),
    ),
  ],
  errors: [
    ...FLAG_NOT_FOUND,
    'FLAG_ARCHIVED',
    'CONTEXTS_NOT_RECORDED',
    'INSTRUCTION_INVALID',
    ...VARIATION_ERRORS,
    ...RULE_ERRORS,
  ],
});

const changeFlags = route({
  ...bulk,
  access: 'flag.write',
  operationId: 'changeFlags',
  tag: 'Flags',
  summary: 'Do one thing to many flags, each on its own or all or none',
  body: BulkBody,
  answer: [200, Data(Type.Object({ results: Type.Array(BulkResult) }))],
  errors: [
    ...FLAG_NOT_FOUND,
    'FLAG_ARCHIVED',
    'FLAG_NOT_ARCHIVED',
    'FLAG_STATUS_CONFLICT',
    'BULK_COUNT_MISMATCH',
    ...VARIATION_ERRORS,
    ...RULE_ERRORS,
  ],
});

/** What concerns many flags or environments at once. */
export const promotionRoutes: FastifyPluginAsyncTypebox<{
  promotions: PromotionService;
  previews: PreviewService;
  bulk: BulkService;
}> = async (app, { promotions, previews, bulk: bulkService }) => {
  app.post('/flags/:flag_id/promote', promoteFlag, async (request) => {
    const { source_environment_id: sourceId, target_environment_ids: targetIds, ...rest } = request.body;
    const { flag_id } = request.params;
    const promotion = { include: rest.include, strategy: rest.strategy, sourceId, targetIds };
    const options = changeOptions(request);
    return data(await promotions.promoteFlag(actorOf(request), flag_id, promotion, options));
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
    const { source, target, state } = request.query;
    const all = await promotions.compare(actorOf(request), source, target);
    return cutPage(state === undefined ? all : all.filter((flag) => flag.state === state), request.query);
  });

  app.post('/flags/:flag_id/preview', previewFlag, async (request) => {
    const { instructions, contexts, sample } = request.body;
    if ((contexts === undefined) === (sample === undefined)) {
      const message = 'must be given, or sample, and not both';
      throw invalid({ field: 'contexts', location: 'body', code: 'oneOf', message });
    }
    const wanted = sample ?? (contexts as Context[]);
    const address = addressOf(request);
    const { warnings, ...preview } = await previews.preview(actorOf(request), address, instructions, wanted);
    warn(request, warnings);
    return data(preview);
  });

  app.post('/flags/bulk', changeFlags, async (request) => {
    checkBulk(request.body);
    const results = await bulkService.run(actorOf(request), request.body, changeOptions(request));
    return data({ results });
  });
};
