/**
 * A text as a phrase of FTS5, in which nothing but the text itself means anything. Undefined when the trigram index
 * cannot find it: it is shorter than three characters, or holds a NUL, which would end the query early.
 */
export function searchPhrase(text: string): string | undefined {
  if ([...text].length < 3 || text.includes('\0')) return undefined;
  return `"${text.replaceAll('"', '""')}"`;
}
