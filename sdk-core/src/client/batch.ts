import type { Reply } from './transport.ts';

/** One line of a batch to be: a counter if it counts, else an event of its own. */
export interface Line {
  count?: number;
  /** Not sent: whether this outcome is reported singly, too. */
  readonly exposes?: boolean | undefined;
}

/** One batch as it is sent; a retry sends the same text. */
export interface Batch {
  readonly body: string;
  /** How many single events it stands for. */
  readonly count: number;
  /** The sending that is under way. */
  flight?: Promise<Reply>;
}

/** Cuts lines into batches of about `maxLength` characters. */
export const packBatches = (
  lines: Iterable<Line>,
  maxLength: number,
  write: (counters: readonly Line[], events: readonly Line[]) => string,
): Batch[] => {
  const batches: Batch[] = [];
  let counters: Line[] = [];
  let events: Line[] = [];
  let length = 0;
  let count = 0;
  const finish = () => {
    if (count) batches.push({ count, body: write(counters, events) });
    counters = [];
    events = [];
    length = count = 0;
  };
  for (const line of lines) {
    if (length > maxLength) finish();
    length += JSON.stringify(line).length;
    count += line.count ?? 1;
    if (line.count) counters.push({ ...line, exposes: undefined });
    else events.push(line);
  }
  finish();
  return batches;
};
