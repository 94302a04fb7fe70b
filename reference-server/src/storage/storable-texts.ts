/** A text that is to be stored holds a NUL (U+0000), which PostgreSQL's texts cannot, and so SQLite's may not either. */
class TextRefused extends Error {
  readonly code = 'TEXT_REFUSED';

  constructor() {
    super('a text holds the character U+0000, which is not stored');
  }
}

/** Whether a statement stores nothing. */
export function isRead(statement: string): boolean {
  return /^\s*(select|pragma|show)\b/.test(statement);
}

export function hasNul(value: unknown): boolean {
  return typeof value === 'string' && value.includes('\0');
}

/** Throws TextRefused where one of the values is a text with a NUL. */
export function requireStorable(values: readonly unknown[]): void {
  if (values.some(hasNul)) throw new TextRefused();
}
