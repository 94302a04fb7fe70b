/**
 * A text as a phrase of FTS5, in which nothing but the text itself means anything. Undefined when the trigram index
 * cannot find it: it is shorter than three characters, or holds a NUL, which would end the query early.
 */
export function searchPhrase(text: string): string | undefined {
  if ([...text].length < 3 || text.includes('\0')) return undefined;
  return `"${text.replaceAll('"', '""')}"`;
}

/** What is looked for, each by itself: the words between blanks, or the text where there is nothing else. */
export function searchWords(text: string): readonly string[] {
  const words = new Set(text.split(/ +/));
  words.delete('');
  return words.size === 0 ? [text] : [...words];
}

/** For `like … escape '\\'`: the text anywhere, or at the start, in which `%` and `_` are ordinary letters. */
export function likePattern(text: string, where: 'anywhere' | 'start'): string {
  // A NUL would end the pattern early, and so find everything; an escape of nothing finds nothing.
  if (text.includes('\0')) return '\\';
  const escaped = text.replace(/[\\%_]/g, '\\$&');
  return where === 'start' ? `${escaped}%` : `%${escaped}%`;
}
