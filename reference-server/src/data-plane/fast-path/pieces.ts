/** The members of an `evaluations` object, as pieces to be copied one after the other. */
export interface Pieces {
  /** Each piece is one or more members, each with a comma before it. */
  readonly list: Uint8Array[];
  /** How many pieces the answer has; later entries of `list` belong to an earlier answer. */
  count: number;
  /** The total length of the pieces. */
  bytes: number;
  /** Unique per answer, so that a rule matcher knows whether it has already run for this answer. */
  answerId: number;
  /** Whether this answer may still add an entry to a cache; an answer adds at most one, because adding is slow. */
  mayCache: boolean;
}

let answers = 0;

/** Starts an answer; reuses the memory of an earlier one if it is given. */
export function startPieces(memory: Pick<Pieces, 'list'> = { list: [] }): Pieces {
  answers += 1;
  return Object.assign(memory, { count: 0, bytes: 0, answerId: answers, mayCache: true });
}

/** Appends a piece; an empty one is skipped. */
export function append(pieces: Pieces, piece: Uint8Array): void {
  if (piece.length === 0) return;
  pieces.list[pieces.count++] = piece;
  pieces.bytes += piece.length;
}
