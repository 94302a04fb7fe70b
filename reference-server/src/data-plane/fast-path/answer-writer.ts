import type { Context } from '@flagsvc/sdk-core';
import { exposureMembers } from '../evaluate/exposure-members.ts';
import type { Steps } from '../evaluate/heavy-work.ts';
import { lengthsOf } from '../evaluate/pattern-work.ts';
import type { EvaluateAnswer, FlagSelection } from '../ports.ts';
import type { BufferPool } from './buffer-pool.ts';
import { type Pieces, startPieces } from './pieces.ts';
import type { PreparedChunks } from './prepared-chunks.ts';

/** Writes the bodies of POST /evaluate. */
export interface AnswerWriter {
  /** Writes the body of one answer. Not re-entrant. */
  write(flagKeys: FlagSelection, context: Context, evaluatedAt: string): EvaluateAnswer;
  writeInSteps(flagKeys: FlagSelection, context: Context, evaluatedAt: string): Steps<EvaluateAnswer>;
}

/** A writer that copies pieces made for earlier answers instead of writing JSON anew. */
export function createAnswerWriter({ list, chunkOf }: PreparedChunks, pool: BufferPool): AnswerWriter {
  const head = headOf(exposureMembers(list));
  const headBytes = Buffer.from(head);
  const reused = startPieces();

  const join = (pieces: Pieces, end: string): EvaluateAnswer => {
    // The first piece starts with a comma. It is copied one byte early, and then the head is written over the comma.
    let offset = headBytes.length - Math.min(pieces.count, 1);
    const buffer = pool.take(offset + pieces.bytes + end.length);
    for (let index = 0; index < pieces.count; index++) {
      const piece = pieces.list[index]!;
      buffer.set(piece, offset);
      offset += piece.length;
    }
    buffer.set(headBytes, 0);
    const body = buffer.subarray(0, offset + buffer.write(end, offset, 'latin1'));
    return { body, release: () => pool.give(buffer) };
  };

  return {
    write(flagKeys, context, evaluatedAt) {
      const end = endOf(evaluatedAt);
      if (flagKeys === '*') {
        startPieces(reused);
        for (const { answers } of list) answers.addAll(context, reused);
        return join(reused, end);
      }
      let body = head;
      for (let index = 0; index < flagKeys.length; index++) {
        const flagKey = flagKeys[index]!;
        if (index > 0) body += ',';
        body += chunkOf(flagKey).answers.member(flagKey, context);
      }
      return { body: body + end };
    },

    *writeInSteps(flagKeys, context, evaluatedAt) {
      const end = endOf(evaluatedAt);
      if (flagKeys === '*') {
        const own = startPieces();
        const lengths = lengthsOf(context);
        for (const { answers } of list) yield* answers.addInSteps(context, lengths, own);
        return join(own, end);
      }
      const members: string[] = [];
      for (const flagKey of flagKeys) {
        members.push(chunkOf(flagKey).answers.member(flagKey, context));
        yield;
      }
      return { body: head + members.join(',') + end };
    },
  };
}

/** Everything before the first member. Clients without a ruleset learn here which exposures to report. */
function headOf(exposures: string): string {
  return `{"data":{${exposures}"evaluations":{`;
}

function endOf(evaluatedAt: string): string {
  return `},"evaluated_at":"${evaluatedAt}"}}`;
}
