import { ApiError } from '../../http/errors.ts';

const MIN_LENGTH = 20;
const MAX_LENGTH = 2_000;
/** "aaaaaaaaaaaaaaaaaaaa" and "asdfasdfasdfasdfasdf" justify nothing. */
const MIN_DISTINCT = 8;

/** The text without what surrounds it. Throws JUSTIFICATION_REQUIRED (422) unless it says something. */
export function requireJustification(text: string | undefined): string {
  const trimmed = text?.trim() ?? '';
  const letters = new Set(trimmed.toLowerCase().replace(/\s/g, ''));
  if (trimmed.length >= MIN_LENGTH && trimmed.length <= MAX_LENGTH && letters.size >= MIN_DISTINCT)
    return trimmed;
  throw new ApiError('JUSTIFICATION_REQUIRED', {
    details: { field: 'justification', minimum: MIN_LENGTH, maximum: MAX_LENGTH, given: trimmed.length },
  });
}
