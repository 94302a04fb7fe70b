import {
  type Context,
  createEvaluator,
  type EvaluationResult,
  type Evaluator,
  type Flag,
  type Ruleset,
} from '@flagsvc/sdk-core';
import { createRuleIndex } from '@flagsvc/sdk-core/rule-index';
import type { PublishedRuleset } from './ports.ts';

/** One member of the `evaluations` object, as text and as bytes. */
interface Member {
  readonly text: string;
  readonly bytes: Uint8Array;
}

type MemberOf = (flagKey: string, result: EvaluationResult) => Member;

const MIDDLE = '},"evaluated_at":"';
const TAIL = '"}}';
const COMMA = 0x2c;

/**
 * Writes the answers of POST /evaluate. Results are built once per outcome, so their JSON can be too: an answer is
 * put together from pieces that exist (decision 0045). What it keeps between calls makes it not re-entrant, and it is synchronous.
 */
export function createAnswerWriter(evaluator: Evaluator): PublishedRuleset['evaluate'] {
  const members = new Map<EvaluationResult, Member>();
  const memberOf: MemberOf = (flagKey, result) => {
    const known = members.get(result);
    if (known !== undefined) return known;
    const text = `${JSON.stringify(flagKey)}:${JSON.stringify(result)}`;
    const member = { text, bytes: Buffer.from(text) };
    // All unknown keys share one result.
    if (result.reason !== 'FLAG_NOT_FOUND') members.set(result, member);
    return member;
  };
  const head = headOf(evaluator);
  let writeAll: ReturnType<typeof createAllWriter> | undefined;

  return (flagKeys, context, evaluatedAt, allocate) => {
    const end = `${MIDDLE}${evaluatedAt}${TAIL}`;
    if (flagKeys === '*') {
      writeAll ??= createAllWriter(evaluator, memberOf, head);
      return writeAll(context, end, allocate);
    }
    let text = head;
    for (let index = 0; index < flagKeys.length; index++) {
      const flagKey = flagKeys[index]!;
      if (index > 0) text += ',';
      text += memberOf(flagKey, evaluator.evaluate(flagKey, context)).text;
    }
    return text + end;
  };
}

/** Up to the first member. A client that has only this answer learns here which exposures to report (decision 0081). */
function headOf({ ruleset }: Evaluator): string {
  const exposing = ruleset.flags.filter((flag) => flag.track_exposures).map(({ key }) => key);
  return `{"data":{${exposing.length > 0 ? `"track_exposures":${JSON.stringify(exposing)},` : ''}"evaluations":{`;
}

/**
 * All flags at once. Those that serve everybody the same are written once; the others' pieces are copied to their
 * place as bytes, since a text of a thousand pieces would be walked three times.
 */
function createAllWriter(evaluator: Evaluator, memberOf: MemberOf, head: string) {
  const { constant, varying } = split(evaluator.ruleset);
  const headBytes = Buffer.byteLength(head);
  const start = Buffer.from(head + writeConstant(evaluator, constant, memberOf));
  const others = createEvaluator({ ...evaluator.ruleset, flags: varying }, { createRuleIndex });
  // A flag's last outcome is its likeliest, and comparing it is cheaper than looking it up.
  const results: EvaluationResult[] = [];
  const pieces: Uint8Array[] = [];
  let count = 0;
  let length = 0;
  const visit = (flagKey: string, result: EvaluationResult): void => {
    if (results[count] !== result) {
      results[count] = result;
      pieces[count] = memberOf(flagKey, result).bytes;
    }
    length += pieces[count]!.length + 1;
    count += 1;
  };

  return (context: Context, end: string, allocate: (bytes: number) => Buffer): Uint8Array => {
    count = 0;
    length = start.length;
    others.visitAll(context, visit);
    const answer = allocate(length + end.length);
    answer.set(start, 0);
    let offset = start.length;
    for (let place = 0; place < count; place++) {
      if (offset > headBytes) answer[offset++] = COMMA;
      const piece = pieces[place]!;
      answer.set(piece, offset);
      offset += piece.length;
    }
    return answer.subarray(0, offset + answer.write(end, offset, 'latin1'));
  };
}

function writeConstant(evaluator: Evaluator, flags: readonly Flag[], memberOf: MemberOf): string {
  return flags
    .map(({ key }) => ({ key, result: evaluator.evaluate(key, {}) }))
    .filter(({ result }) => result.reason !== 'FLAG_NOT_FOUND')
    .map(({ key, result }) => memberOf(key, result).text)
    .join(',');
}

/** Flags that serve everybody the same (they are off, or have no rules), and the others with what those ask about. */
function split({ flags }: Ruleset): { constant: Flag[]; varying: Flag[] } {
  const asked = new Set(flags.flatMap((flag) => flag.prerequisites ?? []).map(({ flag_key }) => flag_key));
  const isConstant = (flag: Flag): boolean =>
    !asked.has(flag.key) &&
    (!flag.enabled || (flag.targeting_rules.length === 0 && (flag.prerequisites ?? []).length === 0));
  return { constant: flags.filter(isConstant), varying: flags.filter((flag) => !isConstant(flag)) };
}
