/** A cause is logged with its stacks at most once in this time. */
const REPEAT_MS = 60_000;
const DEPTH_MAX = 3;
const CAUSES_MAX = 100;

/**
 * Creates a function that describes an error for the log: only type, code, message and stack, because errors of drivers
 * also carry the values of the statement. An outage fails every request for the same cause, so the stacks of a cause are
 * logged once a minute; other descriptions leave them out. `now` is a monotonic clock in milliseconds.
 */
export function createDescribeError(now: () => number): (error: unknown) => object {
  const loggedAt = new Map<string, number>();
  return (error) => {
    const cause = keyOf(innermost(error));
    const last = loggedAt.get(cause);
    if (last !== undefined && now() - last < REPEAT_MS) return describe(error, { withStack: false });
    loggedAt.delete(cause);
    if (loggedAt.size >= CAUSES_MAX) loggedAt.delete(loggedAt.keys().next().value!);
    loggedAt.set(cause, now());
    return describe(error, { withStack: true });
  };
}

/** Tells causes apart by what they say and where they were thrown. */
function keyOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const { name, message, stack, code } = error as Error & { readonly code?: unknown };
  const place = stack?.split('\n').find((line) => line.startsWith('    at '));
  return JSON.stringify([name, code, message, place]);
}

function innermost(error: unknown, depth = 1): unknown {
  if (!(error instanceof Error) || error.cause === undefined || depth === DEPTH_MAX) return error;
  return innermost(error.cause, depth + 1);
}

function describe(error: unknown, { withStack }: { readonly withStack: boolean }, depth = 1): object {
  if (!(error instanceof Error)) return { message: String(error) };
  const { name, message, stack, cause, code } = error as Error & { readonly code?: unknown };
  return {
    type: name,
    message,
    ...(withStack && { stack }),
    ...((typeof code === 'string' || typeof code === 'number') && { code }),
    ...(cause !== undefined && depth < DEPTH_MAX && { cause: describe(cause, { withStack }, depth + 1) }),
  };
}
