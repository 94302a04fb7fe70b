import { isStorable } from '../lib/text-checks.ts';

/**
 * A text that is to be stored holds a NUL (U+0000), which PostgreSQL's texts cannot, and so SQLite's may not either; or
 * half a surrogate pair, which is no character and would be stored as another one.
 */
class TextRefused extends Error {
  readonly code = 'TEXT_REFUSED';
  /** It. */
  readonly text: string;

  constructor(text: string) {
    super(`has ${hasNul(text) ? 'the character U+0000' : 'half a surrogate pair'}, which is not stored`);
    this.text = text;
  }
}

/** Whether a statement stores nothing. */
export function isRead(statement: string): boolean {
  return /^\s*(select|pragma|show)\b/.test(statement);
}

export function hasNul(value: unknown): boolean {
  return typeof value === 'string' && value.includes('\0');
}

/** Throws TextRefused where one of the values is a text that is not stored. */
export function requireStorable(values: readonly unknown[]): void {
  for (const value of values)
    if (typeof value === 'string' && !isStorable(value)) throw new TextRefused(value);
}
