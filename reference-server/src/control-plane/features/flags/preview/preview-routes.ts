import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import type { Context } from '@flagsvc/sdk-core';
import { Type } from 'typebox';
import { Data, data } from '../../../../http/envelope.ts';
import { invalid } from '../../../../http/errors.ts';
import { Key } from '../../../../http/schemas.ts';
import { warn } from '../../../../http/warnings.ts';
import { actorOf } from '../../../access/request-actor.ts';
import { route, withWarnings } from '../../../endpoint/route.ts';
import { ContextBody } from '../../targeting/context-schema.ts';
import {
  addressOf,
  EnvironmentQuery,
  FLAG_NOT_FOUND,
  FlagParams,
  RULE_ERRORS,
  VARIATION_ERRORS,
} from '../flag-route-parts.ts';
import { Instructions } from '../plans/instructions.ts';
import type { PreviewService } from './preview-service.ts';

const Served = Type.Object({ variation_key: Type.String(), reason: Type.String() });

const Preview = Type.Object({
  contexts: Type.Integer({ description: 'Number of contexts that were evaluated.' }),
  changed: Type.Integer({ description: 'Number of contexts that would get another variation.' }),
  transitions: Type.Array(Type.Object({ from: Type.String(), to: Type.String(), count: Type.Integer() }), {
    description:
      'How many contexts get `from` before and `to` after the change, most frequent pair first. Includes contexts whose variation stays the same.',
  }),
  examples: Type.Array(Type.Object({ context: ContextBody, from: Served, to: Served }), {
    description: 'Up to 10 contexts that would get another variation.',
  }),
  dependents: Type.Array(Type.Object({ flag_key: Key, changed: Type.Integer() }), {
    description:
      'Flags that depend on this one, each with the number of contexts for which its value would change.',
  }),
  unrecorded_attributes: Type.Optional(
    Type.Array(Type.String(), {
      description:
        'With `sample` only: attributes that the flag would use but no recorded context has, because clients did not ' +
        'send them or no rule used them before. `user_key` is never recorded.',
    }),
  ),
});

const previewFlag = route({
  rateCategory: 'preview',
  access: 'flag.read',
  operationId: 'previewFlag',
  tag: 'Flags',
  summary: 'Preview a change of a flag',
  description:
    'Evaluates contexts before and after a change by instructions, and returns the differences for this flag and for ' +
    'flags that depend on it. Writes nothing. Needs either `contexts` or `sample`.',
  params: FlagParams,
  query: EnvironmentQuery,
  body: Type.Object({
    instructions: Instructions,
    contexts: Type.Optional(
      Type.Array(ContextBody, { minItems: 1, maxItems: 1_000, description: 'The contexts to evaluate.' }),
    ),
    sample: Type.Optional(
      Type.Enum(['recent'], {
        description:
          'Evaluates up to 1,000 contexts recorded in the last 24 hours; `record_contexts` of the environment must be ' +
          'on. `contexts: 0` in the answer means that no context has been recorded yet. User keys are pseudonymized, so percentages ' +
          'are right, but users cannot be identified and no condition on a user key matches. Contexts with texts too long ' +
          'for the regular expressions are left out.',
      }),
    ),
  }),
  answer: [200, withWarnings(Data(Preview))],
  errors: [
    ...FLAG_NOT_FOUND,
    'FLAG_ARCHIVED',
    'CONTEXTS_NOT_RECORDED',
    'INSTRUCTION_INVALID',
    ...VARIATION_ERRORS,
    ...RULE_ERRORS,
  ],
});

/** `/flags/{flag_id}/preview`. */
export const previewRoutes: FastifyPluginAsyncTypebox<{ preview: PreviewService }> = async (
  app,
  { preview: previews },
) => {
  app.post('/flags/:flag_id/preview', previewFlag, async (request) => {
    const { instructions, contexts, sample } = request.body;
    if ((contexts === undefined) === (sample === undefined)) {
      const message = 'is required without sample, and is not allowed together with it';
      throw invalid({ field: 'contexts', location: 'body', code: 'oneOf', message });
    }
    const wanted = { ...addressOf(request), instructions, contexts: sample ?? (contexts as Context[]) };
    const { warnings, ...preview } = await previews.preview(actorOf(request), wanted);
    warn(request, warnings);
    return data(preview);
  });
};
