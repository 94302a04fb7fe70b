import { describe } from '../adapter/session.ts';
import { isObject, sameJson } from '../suite/json-value.ts';
import { outlineFlag } from '../vectors/outline-flag.ts';
import type { SequenceState } from './sequence-state.ts';
import { dataOf } from './tested-server.ts';

/** How many users are evaluated after each change of the ruleset. */
const USERS = 3;

const contextOf = (random: SequenceState['random']): object => ({
  user_key: `u${random(1_000)}`,
  attributes: {
    ...(random(8) && { plan: `p${random(10)}` }),
    ...(random(8) && { age: random(10) }),
    ...(random(8) && { app: `1.${random(10)}.${random(3)}` }),
  },
});

/** The fields that must be equal. */
const comparedFields = (result: unknown): unknown => {
  if (!isObject(result)) return result;
  const { value, reason, rule_id, variation_key } = result;
  return { value, reason, rule_id, variation_key };
};

/** Checks that the server and the other implementation give the same results from the server's current ruleset. */
export const compareEvaluators = async ({
  otherEvaluator,
  ruleset,
  random,
  server,
  environment,
  problems,
}: SequenceState): Promise<void> => {
  const flags = ruleset.body.flags.map(({ key }) => key);
  if (!otherEvaluator || flags.length === 0) return;
  const where = 'the other implementation';
  const loaded = await otherEvaluator.ask({ cmd: 'load', ruleset: ruleset.body });
  if (loaded.kind !== 'ok') {
    problems.push({ where, message: `load: ${describe(loaded)}` });
    return;
  }
  for (let user = 0; user < USERS; user++) {
    const context = contextOf(random);
    const response = await server.as('none', {
      method: 'POST',
      path: '/evaluate',
      headers: { 'x-api-key': environment.key },
      body: { flags, context },
    });
    const { evaluations } = dataOf<{ evaluations: Record<string, unknown> }>(response, 200, 'POST /evaluate');
    for (const flag of flags) {
      const answer = await otherEvaluator.ask({ cmd: 'evaluate', flag, context });
      const expected = answer.kind === 'ok' ? comparedFields(answer.value) : describe(answer);
      const actual = comparedFields(evaluations[flag]);
      if (sameJson(expected, actual)) continue;
      const message = 'gives a different result from the server';
      problems.push({
        ...{ where, message, expected, actual, given: { flag, context } },
        flag: outlineFlag(ruleset.body, flag),
      });
    }
  }
};
