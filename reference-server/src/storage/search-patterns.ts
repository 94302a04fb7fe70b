/**
 * A text as an FTS5 phrase, with every character literal. Undefined for what the trigram index cannot find: a text
 * shorter than three characters, or with a NUL, which would cut the query short.
 */
export function searchPhrase(text: string): string | undefined {
  if ([...text].length < 3 || text.includes('\0')) return undefined;
  return `"${text.replaceAll('"', '""')}"`;
}

/** Whether the trigram index can find the word. */
export const isIndexed = (word: string): boolean => searchPhrase(word) !== undefined;

/** The distinct words of a search, split at white space; empty when there is nothing to search for. */
export function searchWords(text: string): readonly string[] {
  const words = new Set(text.split(/\s+/));
  words.delete('');
  return [...words];
}

/** A pattern for `like … escape '\\'` that takes `%` and `_` in the text literally. */
export function likePattern(text: string, where: 'anywhere' | 'start'): string {
  // A NUL would cut the pattern short, so that it matches everything. A pattern that is only an escape character
  // matches nothing.
  if (text.includes('\0')) return '\\';
  const escaped = text.replace(/[\\%_]/g, '\\$&');
  return where === 'start' ? `${escaped}%` : `%${escaped}%`;
}
