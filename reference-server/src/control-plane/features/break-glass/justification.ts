import { ApiError } from '../../../http/errors.ts';

const LENGTH_MIN = 20;
const LENGTH_MAX = 2_000;
/** "aaaaaaaaaaaaaaaaaaaa" and "asdfasdfasdfasdfasdf" justify nothing. */
const DISTINCT_MIN = 8;

/** The text without what surrounds it. Throws JUSTIFICATION_REQUIRED (422) unless it says something. */
export function requireJustification(text: string | undefined): string {
  const trimmed = text?.trim() ?? '';
  const letters = new Set(trimmed.toLowerCase().replace(/\s/g, ''));
  if (trimmed.length >= LENGTH_MIN && trimmed.length <= LENGTH_MAX && letters.size >= DISTINCT_MIN)
    return trimmed;
  throw new ApiError('JUSTIFICATION_REQUIRED', {
    details: { field: 'justification', minimum: LENGTH_MIN, maximum: LENGTH_MAX, given: trimmed.length },
  });
}
