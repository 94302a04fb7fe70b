import { lengthsOf } from '../evaluate/pattern-work.ts';
import type { PublishedRuleset } from '../ports.ts';
import { beginPieces, type Pieces } from './flag-members.ts';
import type { Pages } from './prepared-chunks.ts';

const MIDDLE = '},"evaluated_at":"';
const TAIL = '"}}';

/**
 * Writes the answers of POST /evaluate: put together from pieces that exist (decisions/0038). What `evaluate` keeps
 * between calls makes it not re-entrant, and it is synchronous.
 */
export function createAnswerWriter(pages: Pages): Pick<PublishedRuleset, 'evaluate' | 'evaluateInSteps'> {
  const head = headOf(pages);
  const headBytes = Buffer.from(head);
  const shared = beginPieces();
  const endOf = (evaluatedAt: string): string => `${MIDDLE}${evaluatedAt}${TAIL}`;

  const join = (pieces: Pieces, end: string, allocate: (bytes: number) => Buffer): Uint8Array => {
    // The first piece's comma lies where the head ends, which is written over it.
    let offset = headBytes.length - Math.min(pieces.count, 1);
    const answer = allocate(offset + pieces.bytes + end.length);
    for (let place = 0; place < pieces.count; place++) {
      const piece = pieces.list[place]!;
      answer.set(piece, offset);
      offset += piece.length;
    }
    answer.set(headBytes, 0);
    return answer.subarray(0, offset + answer.write(end, offset, 'latin1'));
  };

  return {
    evaluate(flagKeys, context, evaluatedAt, allocate) {
      const end = endOf(evaluatedAt);
      if (flagKeys !== '*') {
        let text = head;
        for (let index = 0; index < flagKeys.length; index++) {
          const flagKey = flagKeys[index]!;
          if (index > 0) text += ',';
          text += pages.of(flagKey).answers.member(flagKey, context);
        }
        return text + end;
      }
      beginPieces(shared);
      for (const { answers } of pages.list) answers.addAll(context, shared);
      return join(shared, end, allocate);
    },

    *evaluateInSteps(flagKeys, context, evaluatedAt, allocate) {
      const end = endOf(evaluatedAt);
      if (flagKeys !== '*') {
        const members: string[] = [];
        for (const flagKey of flagKeys) {
          members.push(pages.of(flagKey).answers.member(flagKey, context));
          yield;
        }
        return head + members.join(',') + end;
      }
      const own = beginPieces({ list: [] });
      const lengths = lengthsOf(context);
      for (const { answers } of pages.list) yield* answers.addInSteps(context, lengths, own);
      return join(own, end, allocate);
    },
  };
}

/** Up to the first member. A client that has only this answer learns here which exposures to report (decisions/0017). */
function headOf({ list }: Pages): string {
  const exposing = list.flatMap(({ exposing }) => exposing);
  return `{"data":{${exposing.length > 0 ? `"track_exposures":${JSON.stringify(exposing)},` : ''}"evaluations":{`;
}
