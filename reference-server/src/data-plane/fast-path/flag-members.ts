import {
  type Context,
  createEvaluator,
  type EvaluationResult,
  type Flag,
  type Ruleset,
} from '@flagsvc/sdk-core';
import { createRuleIndex } from '@flagsvc/sdk-core/rule-index';

/** Members of the `evaluations` object that follow each other, or several in one piece, each with the comma before it. */
export interface Pieces {
  readonly list: Uint8Array[];
  /** How many of the list; what lies behind is of an answer before. */
  count: number;
  /** Of them all. */
  bytes: number;
  /** A number that no other answer has. */
  round: number;
  /** Whether something may still be written for later answers: much of it at once would make this one late. */
  mayKeep: boolean;
}

let rounds = 0;

/** For the first answer, or for the next one. */
export function beginPieces(pieces: Pick<Pieces, 'list'> = { list: [] }): Pieces {
  rounds += 1;
  return Object.assign(pieces, { count: 0, bytes: 0, round: rounds, mayKeep: true });
}

/** Adds the members of some flags. Not re-entrant. */
export type AddMembers = (context: Context, into: Pieces) => void;

/** Sound flags of a ruleset, and those that their prerequisites lead to and that are none of them. */
export interface FlagGroup {
  readonly ruleset: Ruleset;
  readonly flags: readonly Flag[];
  readonly needed: readonly Flag[];
}

/** One member. */
export function memberOf(flagKey: string, result: EvaluationResult): string {
  return `${JSON.stringify(flagKey)}:${JSON.stringify(result)}`;
}

/** Those that serve everybody the same are one piece, written once; `forVarying` makes what adds the others. */
export function createAddMembers(group: FlagGroup, forVarying = createAddVarying): AddMembers {
  const { constant, varying } = split(group);
  // They ask about no segment.
  const start = writeConstant({ ...group.ruleset, segments: [], flags: constant });
  const addVarying = forVarying({ ...group, flags: varying });
  return (context, into) => {
    append(into, start);
    addVarying(context, into);
  };
}

/** Flags that serve everybody the same: they are off, or no rule of theirs asks for anything; and the others. */
function split({ flags, needed }: FlagGroup): { readonly constant: Flag[]; readonly varying: Flag[] } {
  const asked = new Set(
    [...flags, ...needed].flatMap((flag) => flag.prerequisites ?? []).map(({ flag_key }) => flag_key),
  );
  const isConstant = ({ key, enabled, targeting_rules, prerequisites }: Flag): boolean =>
    !asked.has(key) &&
    (!enabled || ((prerequisites ?? []).length === 0 && targeting_rules.every(asksNothing)));
  return { constant: flags.filter(isConstant), varying: flags.filter((flag) => !isConstant(flag)) };
}

function asksNothing({ conditions, percentage_rollout }: Flag['targeting_rules'][number]): boolean {
  return conditions.length === 0 && (percentage_rollout ?? []).length === 0;
}

/** Of a ruleset with such flags. */
function writeConstant(ruleset: Ruleset): Uint8Array {
  let text = '';
  createEvaluator(ruleset).visitAll({}, (flagKey, result) => {
    text += `,${memberOf(flagKey, result)}`;
  });
  return Buffer.from(text);
}

/** Each flag is a piece, copied to its place as bytes, since a text of a thousand pieces would be walked three times. */
export function createAddVarying({ ruleset, flags, needed }: FlagGroup): AddMembers {
  if (flags.length === 0) return () => {};
  const own = flags.length;
  const evaluator = createEvaluator({ ...ruleset, flags: [...flags, ...needed] }, { createRuleIndex });
  // Flags are prepared when they are first asked for: now, and not while somebody waits.
  evaluator.visitAll({}, () => {});
  /** By flag, its outcomes so far and what was written of each: comparing a few is cheaper than looking one up. */
  const results: EvaluationResult[][] = Array.from({ length: own }, () => []);
  const written: Uint8Array[][] = Array.from({ length: own }, () => []);
  let place = 0;
  let pieces: Pieces | undefined;
  const add = (flagKey: string, result: EvaluationResult): void => {
    if (place === own) return;
    const known = results[place]!;
    let at = 0;
    while (at < known.length && known[at] !== result) at += 1;
    if (at === known.length) {
      known.push(result);
      written[place]!.push(Buffer.from(`,${memberOf(flagKey, result)}`));
    }
    append(pieces!, written[place++]![at]!);
  };
  return (context, into) => {
    place = 0;
    pieces = into;
    evaluator.visitAll(context, add);
  };
}

/** Adds a member, the comma before it included, or several of them. */
export function append(pieces: Pieces, piece: Uint8Array): void {
  if (piece.length === 0) return;
  pieces.list[pieces.count++] = piece;
  pieces.bytes += piece.length;
}
