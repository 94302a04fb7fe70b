/** Whether a text can be stored as it is: without a NUL (U+0000) and without half a surrogate pair. */
export function isStorable(text: string): boolean {
  return !text.includes('\0') && !/\p{Surrogate}/u.test(text);
}

/** The beginning of a text, without half of its last character. */
export function beginningOf(text: string, length: number): string {
  return text.slice(0, length).replace(/[\ud800-\udbff]$/, '');
}
