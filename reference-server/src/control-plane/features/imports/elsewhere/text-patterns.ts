/** A regular expression, without anchors, that matches exactly this text. */
export function literalPattern(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
}

/** Code points beyond this have no letter case. */
const LAST_CASED = 0x1e943;

let byLower: ReadonlyMap<string, string> | undefined;

/**
 * A pattern for a text in any letter case. `(?i)` folds ASCII letters alone, and other products compare the lower case
 * of all letters.
 */
export function foldedPattern(text: string): string {
  byLower ??= letters();
  return [...text.toLowerCase()]
    .map((letter) => {
      const all = byLower!.get(letter);
      return all === undefined ? literalPattern(letter) : `[${letter}${all}]`;
    })
    .join('');
}

/** For each letter of lower case, the others that become it. */
function letters(): ReadonlyMap<string, string> {
  const found = new Map<string, string>();
  for (let code = 0; code <= LAST_CASED; code++) {
    if (code === 0xd800) code = 0xe000;
    const letter = String.fromCodePoint(code);
    const lower = letter.toLowerCase();
    if (lower !== letter && [...lower].length === 1) found.set(lower, (found.get(lower) ?? '') + letter);
  }
  return found;
}

/** Whether `(?i)` means the same for a pattern as folding all letters does. */
export const foldsAlike = (source: string): boolean => /^[\0-\x7f]*$/.test(source);
