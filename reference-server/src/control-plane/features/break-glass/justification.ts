import { ApiError } from '../../../http/errors.ts';

const LENGTH_MIN = 20;
const LENGTH_MAX = 2_000;
/** Minimum number of different characters; refuses text such as "aaaaaaaaaaaaaaaaaaaa" and "asdfasdfasdfasdfasdf". */
const DISTINCT_MIN = 8;

/** The trimmed text. Throws JUSTIFICATION_REQUIRED (422) when it is too short, too long or repetitive. */
export function requireJustification(text: string | undefined): string {
  const trimmed = text?.trim() ?? '';
  const distinct = new Set(trimmed.toLowerCase().replace(/\s/g, ''));
  if (trimmed.length >= LENGTH_MIN && trimmed.length <= LENGTH_MAX && distinct.size >= DISTINCT_MIN)
    return trimmed;
  throw new ApiError('JUSTIFICATION_REQUIRED', {
    details: { field: 'justification', minimum: LENGTH_MIN, maximum: LENGTH_MAX, given: trimmed.length },
  });
}
