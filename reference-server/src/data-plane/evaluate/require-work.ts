import { ApiError } from '../../http/errors.ts';
import { type ExcessiveWork, REQUEST_WORK_MAX } from './pattern-work.ts';

/** Throws LIMIT_EXCEEDED for excessive work; `field` is the context's path in the body. */
export function requireWork(measured: number | ExcessiveWork, field = 'context'): number {
  if (typeof measured === 'number') return measured;
  const { flagKey, work, maximum } = measured;
  throw new ApiError('LIMIT_EXCEEDED', {
    message: explain(measured),
    details: {
      field: `${field}.${measured.field}`,
      location: 'body',
      limit: 'pattern_work',
      maximum,
      work,
      ...(flagKey !== undefined && { flag_key: flagKey }),
    },
  });
}

/** The problem and the remedy, as a message. */
export function explain({ who, work, maximum, field, characters }: ExcessiveWork): string {
  const fewer = maximum === REQUEST_WORK_MAX ? ' ask for fewer flags,' : '';
  return (
    `${who} would need too much work: ${work} (characters times states of regular expressions); the maximum is ${maximum}. ` +
    `Most of it is due to ${field}, which has ${characters} characters. ` +
    `Send a shorter text,${fewer} or use fewer and simpler conditions.`
  );
}
