import { beginPieces } from './flag-members.ts';
import type { Pages } from './pages.ts';
import type { PublishedRuleset } from './ports.ts';

const MIDDLE = '},"evaluated_at":"';
const TAIL = '"}}';

/**
 * Writes the answers of POST /evaluate: put together from pieces that exist (decision 0045). What it keeps between
 * calls makes it not re-entrant, and it is synchronous.
 */
export function createAnswerWriter(pages: Pages): PublishedRuleset['evaluate'] {
  const head = headOf(pages);
  const headBytes = Buffer.from(head);
  const pieces = beginPieces();

  return (flagKeys, context, evaluatedAt, allocate) => {
    const end = `${MIDDLE}${evaluatedAt}${TAIL}`;
    if (flagKeys !== '*') {
      let text = head;
      for (let index = 0; index < flagKeys.length; index++) {
        const flagKey = flagKeys[index]!;
        if (index > 0) text += ',';
        text += pages.of(flagKey).answers.member(flagKey, context);
      }
      return text + end;
    }
    beginPieces(pieces);
    for (const { answers } of pages.list) answers.addAll(context, pieces);
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
}

/** Up to the first member. A client that has only this answer learns here which exposures to report (decision 0081). */
function headOf({ list }: Pages): string {
  const exposing = list.flatMap(({ exposing }) => exposing);
  return `{"data":{${exposing.length > 0 ? `"track_exposures":${JSON.stringify(exposing)},` : ''}"evaluations":{`;
}
