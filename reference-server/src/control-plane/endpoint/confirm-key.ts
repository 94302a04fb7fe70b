import { invalid } from '../../http/errors.ts';

/** Throws VALIDATION_ERROR unless the `confirm_key` of a destructive call repeats the key of its target. */
export function requireConfirmation(key: string, confirmKey: string): void {
  if (confirmKey === key) return;
  throw invalid({
    field: 'confirm_key',
    location: 'query',
    code: 'mismatch',
    message: 'must repeat the key of the resource to remove',
  });
}
