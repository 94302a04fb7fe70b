import {
  type Context,
  createEvaluator,
  type EvaluationResult,
  type Flag,
  type Ruleset,
} from '@flagsvc/sdk-core';
import { createRuleIndex } from '@flagsvc/sdk-core/rule-index';
import { append, type Pieces } from './pieces.ts';

/** Valid flags with distinct keys, and the other flags on which they depend by prerequisites. */
export interface FlagGroup {
  readonly ruleset: Ruleset;
  readonly flags: readonly Flag[];
  readonly needed: readonly Flag[];
}

/** Appends the members of a group's flags, in order. Not re-entrant. */
export type AddMembers = (context: Context, into: Pieces) => void;

/**
 * The form of `AddMembers` for flags whose result varies; `constants[i]`, if not empty, follows the i-th flag. Not
 * re-entrant.
 */
export type AddVarying = (context: Context, into: Pieces, constants: readonly Uint8Array[]) => void;

/** One member of the `evaluations` object. */
export function memberOf(flagKey: string, result: EvaluationResult): string {
  return `${JSON.stringify(flagKey)}:${JSON.stringify(result)}`;
}

/**
 * Makes one piece for consecutive flags that each serve the same result to everybody, and makes it only once;
 * `createVarying` handles the other flags.
 */
export function createAddMembers(group: FlagGroup, createVarying = createAddVarying): AddMembers {
  const { varying, first, constants } = arrange(group);
  const addVarying = createVarying({ ...group, flags: varying });
  return (context, into) => {
    append(into, first);
    addVarying(context, into, constants);
  };
}

/**
 * Separates the flags whose result varies from the constant members: those before the first varying flag (`first`), and
 * those after each varying flag (`constants`).
 */
function arrange({ ruleset, flags, needed }: FlagGroup) {
  const prerequisites = new Set([...flags, ...needed].flatMap(prerequisiteKeys));
  const isConstant = (flag: Flag): boolean => !prerequisites.has(flag.key) && servesEverybodyTheSame(flag);
  // Constant flags use no segments.
  const evaluator = createEvaluator({ ...ruleset, segments: [], flags: flags.filter(isConstant) });
  const varying: Flag[] = [];
  const texts = [''];
  for (const flag of flags) {
    if (isConstant(flag)) {
      texts[varying.length] += `,${memberOf(flag.key, evaluator.evaluate(flag.key, {}))}`;
    } else {
      varying.push(flag);
      texts.push('');
    }
  }
  const [first, ...constants] = texts.map((text) => Buffer.from(text));
  return { varying, first: first!, constants };
}

function prerequisiteKeys({ prerequisites }: Flag): readonly string[] {
  return (prerequisites ?? []).map(({ flag_key }) => flag_key);
}

/** Whether the flag is off, or has no prerequisites and no rule that looks at the context. */
function servesEverybodyTheSame({ enabled, prerequisites, targeting_rules }: Flag): boolean {
  if (!enabled) return true;
  if ((prerequisites ?? []).length > 0) return false;
  return targeting_rules.every(
    ({ conditions, percentage_rollout, bucketing }) =>
      conditions.length === 0 &&
      (percentage_rollout ?? []).length === 0 &&
      typeof (bucketing ?? 1) === 'number',
  );
}

/**
 * Appends one piece for each flag; the piece for each result of a flag is made once. Pieces are bytes, because V8 would
 * read a long text three times.
 */
export function createAddVarying({ ruleset, flags, needed }: FlagGroup): AddVarying {
  if (flags.length === 0) return () => {};
  const own = flags.length;
  const evaluator = createEvaluator({ ...ruleset, flags: [...flags, ...needed] }, { createRuleIndex });
  // The first visit prepares the flags, so it runs now, while no request waits.
  evaluator.visitAll({}, () => {});
  /**
   * The results of each flag so far, and the piece of each result. Comparing a few results is faster than a look-up in
   * a map.
   */
  const results: EvaluationResult[][] = Array.from({ length: own }, () => []);
  const written: Uint8Array[][] = Array.from({ length: own }, () => []);
  // These variables are set before each `visitAll`; a new closure for each call would be work for the garbage collector.
  let index = 0;
  let pieces: Pieces | undefined;
  let following: readonly Uint8Array[] = [];
  const add = (flagKey: string, result: EvaluationResult): void => {
    if (index === own) return;
    const known = results[index]!;
    let at = 0;
    while (at < known.length && known[at] !== result) at += 1;
    if (at === known.length) {
      known.push(result);
      written[index]!.push(Buffer.from(`,${memberOf(flagKey, result)}`));
    }
    append(pieces!, written[index]![at]!);
    append(pieces!, following[index]!);
    index += 1;
  };
  return (context, into, constants) => {
    index = 0;
    pieces = into;
    following = constants;
    evaluator.visitAll(context, add);
  };
}
