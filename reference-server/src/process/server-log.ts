import { type Logger, pino } from 'pino';
import { createDescribeError } from './describe-error.ts';
import { createStandardLog } from './log-destination.ts';

/** The log of the server process, on standard output. */
export function createServerLog({
  level,
  color,
}: {
  readonly level: string;
  readonly color: boolean;
}): Logger {
  const err = createDescribeError(() => performance.now());
  return pino({ level, serializers: { err } }, createStandardLog({ color }));
}
