/**
 * A text as a phrase of FTS5, in which nothing but the text itself means anything. Undefined when the trigram index
 * cannot find it: it is shorter than three characters, or holds a NUL, which would end the query early.
 */
export function searchPhrase(text: string): string | undefined {
  if ([...text].length < 3 || text.includes('\0')) return undefined;
  return `"${text.replaceAll('"', '""')}"`;
}

/** Whether the trigram index can find it. */
export const isIndexed = (word: string): boolean => searchPhrase(word) !== undefined;

/** What is looked for, each by itself: the words between blanks of any kind. None is no search. */
export function searchWords(text: string): readonly string[] {
  const words = new Set(text.split(/\s+/));
  words.delete('');
  return [...words];
}

/** For `like … escape '\\'`: the text anywhere, or at the start, in which `%` and `_` are ordinary letters. */
export function likePattern(text: string, where: 'anywhere' | 'start'): string {
  // A NUL would end the pattern early, and so find everything; an escape of nothing finds nothing.
  if (text.includes('\0')) return '\\';
  const escaped = text.replace(/[\\%_]/g, '\\$&');
  return where === 'start' ? `${escaped}%` : `%${escaped}%`;
}
