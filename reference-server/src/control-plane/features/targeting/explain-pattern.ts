/** Why a pattern is outside the dialect of `matches_regex` (EV-87 to EV-109), by what stands where it leaves it. */
export function explainPattern(pattern: string, position: number): string {
  const chars = [...pattern];
  const before = chars.slice(0, position).join('');
  const here = chars[position];
  if (chars.length === 0) return 'it must not be empty.';
  if (before.endsWith('(?')) {
    return 'groups are ( ) and (?: ) alone, without look-around, names and flags; (?i), (?m) and (?s) stand at the very start.';
  }
  const { escapes, inClass, open } = readTo(before);
  if (escapes) return here === undefined ? 'it ends with a backslash.' : `\\${here} is not known.`;
  // In a class, braces are characters.
  const [, least, most] = (!inClass && /\{(\d+)(?:,(\d*))?\}\??$/.exec(before)) || [];
  if (Math.max(Number(least), Number(most ?? 0)) > 1000) return 'it repeats something more than 1,000 times.';
  if (most && Number(most) < Number(least)) return 'the first number of a repetition is above the second.';
  if (here === undefined && inClass) return 'a [ is not closed.';
  if (here === undefined && open > 0) return 'a ( is not closed.';
  if (here === undefined && /^\(\?[ims]+\)$/.test(pattern)) return 'behind the flags there is nothing.';
  if (here === undefined || position === chars.length) return 'it has more than 10,000 states.';
  if (inClass) {
    return 'a class has something in it; [ ] and \\ are written with a backslash there, so is a - inside, && || ~~ do not stand there, and ranges go upwards.';
  }
  if ('*+?'.includes(here)) return `there is nothing before ${here} that can be repeated.`;
  if (here === ')') return 'a ) closes no group.';
  return `${here} does not stand here; as a character it is written \\${here}.`;
}

/** What is open at the end of the beginning of a pattern. */
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
