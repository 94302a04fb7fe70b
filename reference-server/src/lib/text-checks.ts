/** Whether both databases can store the text: it has no NUL (U+0000) and no lone surrogate. */
export function isStorable(text: string): boolean {
  return !text.includes('\0') && !/\p{Surrogate}/u.test(text);
}

/** The first `length` UTF-16 units of a text, without half a surrogate pair at the end. */
export function beginningOf(text: string, length: number): string {
  return text.slice(0, length).replace(/[\ud800-\udbff]$/, '');
}
