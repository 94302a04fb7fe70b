/**
 * Admits a line to the log: returns the number of lines that were left out since the last admitted one. Undefined: this
 * line is left out too.
 */
export type LineLimit = () => number | undefined;

const PER_SECOND = 10;
const BURST = 50;

/**
 * Admits 10 lines a second, and 50 at once, so that strangers can neither fill a disk nor hide a line among millions.
 * `now` is a monotonic clock in milliseconds.
 */
export function createLineLimit(now: () => number): LineLimit {
  let allowance = BURST;
  let countedAt = now();
  let leftOut = 0;
  return () => {
    const time = now();
    allowance = Math.min(BURST, allowance + ((time - countedAt) / 1_000) * PER_SECOND);
    countedAt = time;
    if (allowance < 1) {
      leftOut += 1;
      return undefined;
    }
    allowance -= 1;
    const reported = leftOut;
    leftOut = 0;
    return reported;
  };
}
