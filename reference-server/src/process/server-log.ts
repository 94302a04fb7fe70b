import { type Logger, pino } from 'pino';
import { createStandardLog } from './log-destination.ts';

const ERROR_DEPTH_MAX = 3;

/** The log of the server process, on standard output. */
export function createServerLog({
  level,
  color,
}: {
  readonly level: string;
  readonly color: boolean;
}): Logger {
  return pino({ level, serializers: { err: describeError } }, createStandardLog({ color }));
}

/**
 * An error in the log: only type, code, message and stack, because errors of drivers also carry the values of the
 * statement.
 */
export function describeError(error: unknown, depth = 1): object {
  if (!(error instanceof Error)) return { message: String(error) };
  const { name, message, stack, cause, code } = error as Error & { readonly code?: unknown };
  return {
    type: name,
    message,
    stack,
    ...((typeof code === 'string' || typeof code === 'number') && { code }),
    ...(cause !== undefined && depth < ERROR_DEPTH_MAX && { cause: describeError(cause, depth + 1) }),
  };
}
