import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import { type Context, type Explanation, REASONS } from '@flagsvc/sdk-core';
import { Type } from 'typebox';
import { requireReadable } from '../../data-plane/pattern-work.ts';
import type { PublishedRuleset } from '../../data-plane/ports.ts';
import { EvaluateBody } from '../../data-plane/schemas.ts';
import { actorOf } from '../../http/authenticate.ts';
import type { Actor } from '../../http/authorize.ts';
import { Data, data } from '../../http/envelope.ts';
import { route } from '../../http/route.ts';
import { Id, Timestamp } from '../../http/schemas.ts';

const Nullable = <T extends Parameters<typeof Type.Union>[0][number]>(schema: T) =>
  Type.Union([schema, Type.Null()]);

const Result = Type.Object({
  value: Type.Unknown(),
  reason: Type.Union(REASONS.map((reason) => Type.Literal(reason))),
  rule_id: Nullable(Type.String()),
  variation_key: Nullable(Type.String()),
});

const ExplanationSchema = Type.Object({
  flag_key: Type.String(),
  result: Result,
  prerequisites: Type.Array(
    Type.Object({ flag_key: Type.String(), variation: Type.String(), holds: Type.Boolean(), result: Result }),
    { description: 'In order, up to the first that does not hold.' },
  ),
  rules: Type.Array(
    Type.Object({
      rule_id: Type.String(),
      matched: Type.Boolean(),
      conditions: Type.Array(
        Type.Object({
          condition: Type.Object({
            attribute: Type.String(),
            operator: Type.String(),
            value: Type.Unknown(),
          }),
          actual: Type.Optional(
            Type.Unknown({ description: "The attribute's value; absent when the user has none." }),
          ),
          matched: Type.Boolean(),
        }),
        { description: 'Up to the first that failed.' },
      ),
      bucket: Type.Optional(Type.Integer({ description: 'From 0 to 99, where a rollout decided.' })),
      ranges: Type.Optional(
        Type.Array(
          Type.Object({
            variation: Type.String(),
            percentage: Type.Integer(),
            from: Type.Integer(),
            to: Type.Integer({ description: 'Not included.' }),
          }),
        ),
      ),
    }),
    { description: 'In order of evaluation, up to the rule that decided.' },
  ),
});

const ExplainBody = Type.Object({ environment_id: Id, ...EvaluateBody.properties });

const explain = route({
  access: 'flag.read',
  operationId: 'explainEvaluation',
  tag: 'Flags',
  summary: 'Tell what a user would be served, and why, rule by rule',
  body: ExplainBody,
  answer: [
    200,
    Data(
      Type.Object({
        explanations: Type.Record(Type.String(), ExplanationSchema),
        ruleset_version: Type.Integer(),
        evaluated_at: Timestamp,
      }),
    ),
  ],
  errors: ['ENVIRONMENT_NOT_FOUND'],
});

export interface ExplainDeps {
  /** The ruleset that is served now. Throws ENVIRONMENT_NOT_FOUND for what the actor's organization has not. */
  readonly currentRuleset: (actor: Actor, environmentId: string) => Promise<PublishedRuleset>;
  readonly now: () => number;
}

/** `POST /evaluate/explain`: the same walk as `POST /evaluate`, written down, for people. Not counted as use. */
export const explainRoutes: FastifyPluginAsyncTypebox<{ explanations: ExplainDeps }> = async (
  app,
  { explanations: { currentRuleset, now } },
) => {
  app.post('/evaluate/explain', explain, async (request) => {
    const { environment_id, flags, context } = request.body;
    const { evaluator, version } = await currentRuleset(actorOf(request), environment_id);
    requireReadable(evaluator.ruleset, context as Context);
    const keys = flags.includes('*') ? evaluator.ruleset.flags.map(({ key }) => key) : new Set(flags);
    const found: Record<string, Explanation> = Object.create(null);
    for (const key of keys) found[key] = evaluator.explain(key, context as Context);
    return data({
      explanations: found as never,
      ruleset_version: version,
      evaluated_at: new Date(now()).toISOString(),
    });
  });
};
