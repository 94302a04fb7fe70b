import {
  type Context,
  createEvaluator,
  type EvaluationResult,
  type Evaluator,
  type Flag,
} from '@flagsvc/sdk-core';
import { createRuleIndex } from '@flagsvc/sdk-core/rule-index';

/** One member of the `evaluations` object, as text and as bytes. */
interface Member {
  readonly text: string;
  readonly bytes: Uint8Array;
}

/** Members of the `evaluations` object, each written once per outcome (decision 0045). */
export interface PageAnswers {
  /** One flag's, as text. */
  member(flagKey: string, context: Context): string;
  /** Those of all flags of the page: members, or several with commas between. */
  visit(context: Context, take: (piece: Uint8Array) => void): void;
  /** Makes what `visit` needs before it is asked for. */
  prepare(): void;
}

/** `needed` are flags of other pages that the prerequisites of these lead to; the evaluator has both. */
export function createPageAnswers(
  evaluator: Evaluator,
  flags: readonly Flag[],
  needed: readonly Flag[],
): PageAnswers {
  const members = new Map<EvaluationResult, Member>();
  const memberOf = (flagKey: string, result: EvaluationResult): Member => {
    const known = members.get(result);
    if (known !== undefined) return known;
    const text = `${JSON.stringify(flagKey)}:${JSON.stringify(result)}`;
    const member = { text, bytes: Buffer.from(text) };
    // All unknown keys share one result.
    if (result.reason !== 'FLAG_NOT_FOUND') members.set(result, member);
    return member;
  };

  /** Nothing for a broken flag. */
  const textOf = ({ key }: Flag): string[] => {
    const result = evaluator.evaluate(key, {});
    return result.reason === 'FLAG_NOT_FOUND' ? [] : [memberOf(key, result).text];
  };

  /**
   * Flags that serve everybody the same are written once; the others' pieces are copied to their place as bytes,
   * since a text of a thousand pieces would be walked three times.
   */
  const createVisit = (): PageAnswers['visit'] => {
    const { constant, varying } = split(flags, needed);
    const start = Buffer.from(constant.flatMap(textOf).join(','));
    const others = createEvaluator(
      { ...evaluator.ruleset, flags: [...varying, ...needed] },
      { createRuleIndex },
    );
    const sound = new Set<string>();
    others.visitAll({}, (flagKey) => void sound.add(flagKey));
    const own = varying.filter(({ key }) => sound.has(key)).length;
    // A flag's last outcome is its likeliest, and comparing it is cheaper than looking it up.
    const results: EvaluationResult[] = [];
    const pieces: Uint8Array[] = [];
    let count = 0;
    const remember = (flagKey: string, result: EvaluationResult): void => {
      if (results[count] !== result && count < own) {
        results[count] = result;
        pieces[count] = memberOf(flagKey, result).bytes;
      }
      count += 1;
    };
    return (context, take) => {
      if (start.length > 0) take(start);
      if (own === 0) return;
      count = 0;
      others.visitAll(context, remember);
      for (let place = 0; place < own; place++) take(pieces[place]!);
    };
  };
  let visit: PageAnswers['visit'] | undefined;

  return {
    member: (flagKey, context) => memberOf(flagKey, evaluator.evaluate(flagKey, context)).text,
    visit(context, take) {
      visit ??= createVisit();
      visit(context, take);
    },
    prepare() {
      if (visit === undefined) this.visit({}, () => {});
    },
  };
}

/** Flags that serve everybody the same (they are off, or have no rules), and the others with what those ask about. */
function split(
  flags: readonly Flag[],
  needed: readonly Flag[],
): { readonly constant: readonly Flag[]; readonly varying: readonly Flag[] } {
  const asked = new Set(
    [...flags, ...needed].flatMap((flag) => flag.prerequisites ?? []).map(({ flag_key }) => flag_key),
  );
  const isConstant = (flag: Flag): boolean =>
    !asked.has(flag.key) &&
    (!flag.enabled || (flag.targeting_rules.length === 0 && (flag.prerequisites ?? []).length === 0));
  return { constant: flags.filter(isConstant), varying: flags.filter((flag) => !isConstant(flag)) };
}
