import { describe } from '../adapter/session.ts';
import { isObject, sameJson } from '../suite/json-value.ts';
import { outlineFlag } from '../vectors/outline-flag.ts';
import type { State } from './sequence-state.ts';
import { dataOf } from './tested-server.ts';

/** So many users are asked for after each change of the ruleset. */
const USERS = 3;

const contextOf = (random: State['random']): object => ({
  user_key: `u${random(1_000)}`,
  attributes: {
    ...(random(8) && { plan: `p${random(10)}` }),
    ...(random(8) && { age: random(10) }),
    ...(random(8) && { app: `1.${random(10)}.${random(3)}` }),
  },
});

/** What both have to agree on. */
const essence = (result: unknown): unknown => {
  if (!isObject(result)) return result;
  const { value, reason, rule_id, variation_key } = result;
  return { value, reason, rule_id, variation_key };
};

/** The server decides as another implementation does by the ruleset that the server has just compiled. */
export const checkPeer = async ({ peer, ruleset, random, world, place, problems }: State): Promise<void> => {
  const flags = ruleset.body.flags.map(({ key }) => key);
  if (!peer || flags.length === 0) return;
  const where = 'the other implementation';
  const loaded = await peer.ask({ cmd: 'load', ruleset: ruleset.body });
  if (loaded.kind !== 'ok') {
    problems.push({ where, message: `load: ${describe(loaded)}` });
    return;
  }
  for (let user = 0; user < USERS; user++) {
    const context = contextOf(random);
    const answer = await world.as('none', {
      method: 'POST',
      path: '/evaluate',
      headers: { 'x-api-key': place.key },
      body: { flags, context },
    });
    const { evaluations } = dataOf<{ evaluations: Record<string, unknown> }>(answer, 200, 'POST /evaluate');
    for (const flag of flags) {
      const told = await peer.ask({ cmd: 'evaluate', flag, context });
      const expected = told.kind === 'ok' ? essence(told.value) : describe(told);
      const actual = essence(evaluations[flag]);
      if (sameJson(expected, actual)) continue;
      const message = 'decides otherwise than the server';
      problems.push({
        ...{ where, message, expected, actual, given: { flag, context } },
        flag: outlineFlag(ruleset.body, flag),
      });
    }
  }
};
