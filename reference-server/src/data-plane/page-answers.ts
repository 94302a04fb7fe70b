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
  /** With the comma that stands before it. */
  readonly bytes: Uint8Array;
}

/** Members that follow each other, or several in one piece, each with the comma before it. */
export interface Pieces {
  readonly list: Uint8Array[];
  /** How many of the list; what lies behind is of an answer before. */
  count: number;
  /** Of them all. */
  bytes: number;
}

/** Members of the `evaluations` object, each written once per outcome (decision 0045). */
export interface PageAnswers {
  /** One flag's, as text. */
  member(flagKey: string, context: Context): string;
  /** Adds those of all flags of the page. */
  addAll(context: Context, pieces: Pieces): void;
  /** Makes what `addAll` needs before it is asked for. */
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
    const member = { text, bytes: Buffer.from(`,${text}`) };
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
  const createAddAll = (): PageAnswers['addAll'] => {
    const { constant, varying } = split(flags, needed);
    const start = Buffer.from(
      constant
        .flatMap(textOf)
        .map((text) => `,${text}`)
        .join(''),
    );
    const others = createEvaluator(
      { ...evaluator.ruleset, flags: [...varying, ...needed] },
      { createRuleIndex },
    );
    const sound = new Set<string>();
    others.visitAll({}, (flagKey) => void sound.add(flagKey));
    const own = varying.filter(({ key }) => sound.has(key)).length;
    /** By flag, its outcomes so far and what was written of each: comparing a few is cheaper than looking one up. */
    const results: EvaluationResult[][] = Array.from({ length: own }, () => []);
    const written: Uint8Array[][] = Array.from({ length: own }, () => []);
    let place = 0;
    let pieces: Pieces = { list: [], count: 0, bytes: 0 };
    const add = (flagKey: string, result: EvaluationResult): void => {
      if (place === own) return;
      const known = results[place]!;
      let at = 0;
      while (at < known.length && known[at] !== result) at += 1;
      if (at === known.length) {
        known.push(result);
        written[place]!.push(memberOf(flagKey, result).bytes);
      }
      append(pieces, written[place++]![at]!);
    };
    return (context, into) => {
      if (start.length > 0) append(into, start);
      if (own === 0) return;
      place = 0;
      pieces = into;
      others.visitAll(context, add);
    };
  };
  let addAll: PageAnswers['addAll'] | undefined;

  return {
    member: (flagKey, context) => memberOf(flagKey, evaluator.evaluate(flagKey, context)).text,
    addAll(context, pieces) {
      addAll ??= createAddAll();
      addAll(context, pieces);
    },
    prepare() {
      if (addAll === undefined) this.addAll({}, { list: [], count: 0, bytes: 0 });
    },
  };
}

function append(pieces: Pieces, piece: Uint8Array): void {
  pieces.list[pieces.count++] = piece;
  pieces.bytes += piece.length;
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
