/** A failure that goes on is logged at most once in this time. */
const REPEAT_MS = 60_000;
const FORGET_MS = 10 * REPEAT_MS;

/** The part of the server's log that is needed here. */
interface ErrorLog {
  error(fields: object, message: string): void;
}

/** Logs failures of work that is repeated. `fields` and the error's message tell failures apart. */
export type LogFailure = (err: unknown, message: string, fields?: { readonly job: string }) => void;

/** Keeps an outage from filling the disk: the same failure is logged once a minute, with the number in `left_out`. */
export function createFailureLog(logger: ErrorLog | undefined, now: () => number): LogFailure {
  const last = new Map<string, { readonly at: number; leftOut: number }>();
  return (err, message, fields) => {
    const key = JSON.stringify([message, fields, err instanceof Error ? err.message : String(err)]);
    const known = last.get(key);
    if (known !== undefined && now() - known.at < REPEAT_MS) return void known.leftOut++;
    for (const [other, { at }] of last) if (now() - at >= FORGET_MS) last.delete(other);
    last.set(key, { at: now(), leftOut: 0 });
    const leftOut = known?.leftOut ?? 0;
    logger?.error({ err, ...fields, ...(leftOut > 0 && { left_out: leftOut }) }, message);
  };
}
