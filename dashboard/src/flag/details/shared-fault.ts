import { t } from './messages.ts';
import type { Shared } from './shared.ts';

/** Why what is typed cannot be saved yet; undefined when it can. */
export function sharedFault({ name, variations }: Shared): string | undefined {
  if (name.trim() === '') return t.nameMissing;
  for (const { id, key, name, text } of variations) {
    if (key.trim() === '') return t.keyMissing;
    if (variations.some((one) => one.id !== id && one.key === key)) return t.keyTwice(key);
    if (name.trim() === '') return t.variationNameMissing(key);
    if (text !== undefined) return t.valueInvalid(key);
  }
  return undefined;
}
