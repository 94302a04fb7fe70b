import type { Pages } from './pages.ts';
import type { PublishedRuleset } from './ports.ts';

const MIDDLE = '},"evaluated_at":"';
const TAIL = '"}}';
const COMMA = 0x2c;

/**
 * Writes the answers of POST /evaluate: put together from pieces that exist (decision 0045). What it keeps between
 * calls makes it not re-entrant, and it is synchronous.
 */
export function createAnswerWriter(pages: Pages): PublishedRuleset['evaluate'] {
  const head = headOf(pages);
  const headBytes = Buffer.from(head);
  const pieces: Uint8Array[] = [];
  let count = 0;
  let length = 0;
  const take = (piece: Uint8Array): void => {
    pieces[count++] = piece;
    length += piece.length;
  };

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
    count = 0;
    length = headBytes.length;
    for (const { answers } of pages.list) answers.visit(context, take);
    const answer = allocate(length + Math.max(0, count - 1) + end.length);
    answer.set(headBytes, 0);
    let offset = headBytes.length;
    for (let place = 0; place < count; place++) {
      if (place > 0) answer[offset++] = COMMA;
      const piece = pieces[place]!;
      answer.set(piece, offset);
      offset += piece.length;
    }
    return answer.subarray(0, offset + answer.write(end, offset, 'latin1'));
  };
}

/** Up to the first member. A client that has only this answer learns here which exposures to report (decision 0081). */
function headOf({ list }: Pages): string {
  const exposing = list.flatMap(({ exposing }) => exposing);
  return `{"data":{${exposing.length > 0 ? `"track_exposures":${JSON.stringify(exposing)},` : ''}"evaluations":{`;
}
