import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import { type Context, type Explanation, REASONS, type TargetingRule } from '@flagsvc/sdk-core';
import { Type } from 'typebox';
import { heavyWork, type Steps } from '../../../data-plane/evaluate/heavy-work.ts';
import { requireWork } from '../../../data-plane/evaluate/require-work.ts';
import type { PublishedRuleset } from '../../../data-plane/ports.ts';
import { EvaluateBody } from '../../../data-plane/schemas.ts';
import { Data, data } from '../../../http/envelope.ts';
import { Id, Timestamp } from '../../../http/schemas.ts';
import { Warning } from '../../../http/warnings.ts';
import { findUnreachable, type SegmentConditions } from '../../../publishing/unreachable-rules.ts';
import type { Actor } from '../../access/actor.ts';
import { actorOf } from '../../access/request-actor.ts';
import { route } from '../../endpoint/route.ts';
import { unreachableWarning } from '../flags/checks/rule-warnings.ts';

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
    { description: 'The prerequisites in order, up to the first that fails.' },
  ),
  rules: Type.Array(
    Type.Object({
      rule_id: Type.String(),
      reached: Type.Boolean({
        description: 'False if an earlier rule decided, a prerequisite failed, or the flag is disabled.',
      }),
      matched: Type.Boolean({
        description: 'Whether all conditions matched; false when the rule was not reached.',
      }),
      conditions: Type.Array(
        Type.Object({
          condition: Type.Object({
            attribute: Type.String(),
            operator: Type.String(),
            value: Type.Unknown(),
          }),
          actual: Type.Optional(
            Type.Unknown({ description: 'Value of the attribute; absent when the context has none.' }),
          ),
          matched: Type.Boolean(),
        }),
        {
          description:
            'The conditions in order, up to the first that failed; empty when the rule was not reached.',
        },
      ),
      by: Type.Optional(
        Type.String({ description: 'What the rollout bucketed: `user_key`, or an attribute in revision 3.' }),
      ),
      unit: Type.Optional(
        Type.String({ description: 'The bucketed text; absent or empty if there is none.' }),
      ),
      bucket: Type.Optional(
        Type.Integer({
          description:
            'From 0 to 99, or to 9,999 in revision 3, when a rollout decided; absent without a unit.',
        }),
      ),
      gates: Type.Optional(
        Type.Array(
          Type.Object({
            salt: Type.String(),
            from: Type.Integer(),
            to: Type.Integer({ description: 'Exclusive.' }),
            bucket: Type.Optional(Type.Integer({ description: 'Absent without a unit.' })),
            passed: Type.Boolean(),
          }),
          { description: 'The gates of revision 3; a unit that is outside of one is served the default.' },
        ),
      ),
      ranges: Type.Optional(
        Type.Array(
          Type.Object({
            variation: Type.String(),
            percentage: Type.Optional(Type.Integer({ description: 'Absent in revision 3.' })),
            from: Type.Integer(),
            to: Type.Integer({ description: 'Exclusive.' }),
          }),
        ),
      ),
      warning: Type.Optional(Warning),
    }),
    {
      description:
        'All rules in order of evaluation. A rule that no context can reach has a `warning` that names the rule shadowing it, or the reason why it never matches.',
    },
  ),
});

const ExplainBody = Type.Object({ environment_id: Id, ...EvaluateBody.properties });

const explain = route({
  access: 'flag.read',
  operationId: 'explainEvaluation',
  tag: 'Flags',
  summary: 'Explain an evaluation',
  description:
    'Returns what a context is served in an environment, and why, rule by rule. Does not count as an evaluation.',
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

/** All rules of a flag: first the ones that were evaluated, then the rest, with warnings about unreachable rules. */
function describeRules(
  { flag_key, rules: walked }: Explanation,
  rules: readonly TargetingRule[],
  of: { readonly environment_id: string; readonly segments: SegmentConditions },
): readonly object[] {
  const flag = { key: flag_key, environmentId: of.environment_id, rules };
  const warnings = new Map(
    findUnreachable(rules, of.segments).map((found) => [found.index, unreachableWarning(flag, found)]),
  );
  return rules.map(({ id }, index) => ({
    ...(walked[index] ?? { rule_id: id, matched: false, conditions: [] }),
    reached: index < walked.length,
    ...(warnings.has(index) && { warning: warnings.get(index) }),
  }));
}

export interface ExplainDeps {
  /** The ruleset that is served now. Throws ENVIRONMENT_NOT_FOUND for an environment of another organization. */
  readonly currentRuleset: (actor: Actor, environmentId: string) => Promise<PublishedRuleset>;
  readonly now: () => number;
}

/**
 * `POST /evaluate/explain`: the same evaluation as `POST /evaluate`, but the answer shows each step. The call does not
 * count as use of the flag.
 */
export const explainRoutes: FastifyPluginAsyncTypebox<{ explanations: ExplainDeps }> = async (
  app,
  { explanations: { currentRuleset, now } },
) => {
  app.post('/evaluate/explain', explain, async (request) => {
    const { environment_id, flags, context } = request.body;
    const published = await currentRuleset(actorOf(request), environment_id);
    const all = published.evaluator.ruleset.flags;
    const keys = flags.includes('*') ? all.map(({ key }) => key) : [...new Set(flags)];
    const work = requireWork(published.measure(keys, context as Context));
    const explanations = await heavyWork.run(work, explainEach(published, keys, context as Context));
    return data({
      explanations: explanations as never,
      ruleset_version: published.version,
      evaluated_at: new Date(now()).toISOString(),
    });
  });
};

function* explainEach(
  { evaluator, environmentId: environment_id }: PublishedRuleset,
  keys: readonly string[],
  context: Context,
): Steps<Record<string, object>> {
  const { ruleset } = evaluator;
  const segments = new Map(ruleset.segments.map(({ key, conditions }) => [key, conditions]));
  const flagsByKey = new Map(ruleset.flags.map((flag) => [flag.key, flag]));
  const found: Record<string, object> = Object.create(null);
  for (const key of keys) {
    const explanation = evaluator.explain(key, context);
    const rules = flagsByKey.get(key)?.targeting_rules ?? [];
    found[key] = { ...explanation, rules: describeRules(explanation, rules, { environment_id, segments }) };
    yield;
  }
  return found;
}
