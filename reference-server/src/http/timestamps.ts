import { type FieldError, invalid } from './errors.ts';

/**
 * A caller's timestamp in the form in which tables store it: ISO 8601 UTC with milliseconds. Throws VALIDATION_ERROR.
 */
export function normalizeTimestamp(
  text: string,
  field: string,
  location: FieldError['location'] = 'body',
): string {
  const time = Date.parse(text);
  if (Number.isNaN(time)) {
    throw invalid({ field, location, code: 'format', message: 'must be a date and time that exist' });
  }
  return new Date(time).toISOString();
}
