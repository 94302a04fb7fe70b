/** The number of states of a valid pattern, as the evaluator counts them for its limit (EV-100, EV-101). */
export function patternStates(source: string): number {
  return count(source, () => 1);
}

/** Minimum cost per character, in states: reading a character costs this much even if the pattern has fewer states. */
const WEIGHT_MIN = 10;
/** Testing this many members of a class takes as long as one state. */
const MEMBERS_PER_STATE = 4;

/**
 * The cost of a valid pattern per character: its number of states, except that a class with many members counts as
 * several states.
 */
export function patternWeight(source: string): number {
  return Math.max(
    WEIGHT_MIN,
    count(source, (members) => Math.ceil(members / MEMBERS_PER_STATE)),
  );
}

function count(source: string, sizeOfClass: (members: number) => number): number {
  const pattern = source.replace(/^\(\?[ims]+\)/, '');
  // One token: an escape or a code point. A quantifier may follow.
  const token = /\\?./gsu;
  const sums = [0];
  let at = 0;
  while (at < pattern.length) {
    let size = 1;
    token.lastIndex = at;
    const [text] = token.exec(pattern)!;
    at += text.length;
    if (text === '(') {
      if (pattern.startsWith('?:', at)) at += 2;
      sums.push(0);
      continue;
    }
    if (text === '|') continue;
    if (text === ')') size = sums.pop()!;
    else if (text === '[') {
      const members = classMembers(pattern, at);
      at += members.length + 1;
      size = sizeOfClass(members.match(MEMBER)!.length);
    }
    QUANTIFIER.lastIndex = at;
    const [all, exact, comma, most] = QUANTIFIER.exec(pattern)!;
    at += all.length;
    sums[sums.length - 1]! += size * repeats(exact, comma, most);
  }
  return sums[0]!;
}

const QUANTIFIER = /(?:(?:[*+?]|\{(\d+)(,(\d*))?\})\??)?/y;
/** A member of a class, or a range. */
const MEMBER = /(?:\\.|[^\\])(?:-(?:\\.|[^\\]))?/gsu;

/** The text between the brackets of a class. */
function classMembers(pattern: string, from: number): string {
  const members = /(?:\\.|[^\]\\])*/suy;
  members.lastIndex = from;
  return members.exec(pattern)![0];
}

function repeats(exact: string | undefined, comma: string | undefined, most: string | undefined): number {
  if (exact === undefined) return 1;
  if (most) return Number(most);
  return comma === undefined ? Number(exact) : Math.max(1, Number(exact));
}
