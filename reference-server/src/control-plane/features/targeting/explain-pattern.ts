/** Why a pattern is outside the dialect of `matches_regex`, given the position at which it leaves the dialect. */
export function explainPattern(pattern: string, position: number): string {
  const chars = [...pattern];
  const before = chars.slice(0, position).join('');
  const here = chars[position];
  if (chars.length === 0) return 'it must not be empty.';
  if (before.endsWith('(?')) {
    return 'the only groups are ( ) and (?: ), without look-around, names or flags; (?i), (?m) and (?s) may stand at the very start.';
  }
  const { escapes, inClass, open } = readTo(before);
  if (escapes) return here === undefined ? 'it ends with a backslash.' : `\\${here} is not supported.`;
  // Inside a class, braces are ordinary characters.
  const [, least, most] = (!inClass && /\{(\d+)(?:,(\d*))?\}\??$/.exec(before)) || [];
  if (Math.max(Number(least), Number(most ?? 0)) > 1000) return 'it repeats something more than 1,000 times.';
  if (most && Number(most) < Number(least))
    return 'the first number of a repetition is greater than the second.';
  if (here === undefined && inClass) return 'a [ is not closed.';
  if (here === undefined && open > 0) return 'a ( is not closed.';
  if (here === undefined && /^\(\?[ims]+\)$/.test(pattern)) return 'nothing follows the flags.';
  if (here === undefined || position === chars.length) return 'it has more than 10,000 states.';
  if (inClass) {
    return 'a character class is not valid: write [ ] \\ and an inner - with a backslash, do not use && || ~~, and write ranges in ascending order.';
  }
  if ('*+?'.includes(here)) return `there is nothing before ${here} to repeat.`;
  if (here === ')') return 'a ) closes no group.';
  return `${here} is not allowed here; to match the character, write \\${here}.`;
}

/** What is still open at the end of `before`, the beginning of a pattern: an escape, a class, and how many groups. */
function readTo(before: string): { escapes: boolean; inClass: boolean; open: number } {
  let [escapes, inClass, open] = [false, false, 0];
  for (const char of before) {
    if (escapes) escapes = false;
    else if (char === '\\') escapes = true;
    else if (inClass) inClass = char !== ']';
    else if (char === '[') inClass = true;
    else if (char === '(') open++;
    else if (char === ')') open--;
  }
  return { escapes, inClass, open };
}
