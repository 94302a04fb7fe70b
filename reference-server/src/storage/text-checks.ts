import { isStorable } from '../lib/text-checks.ts';

/**
 * A text cannot be stored: it contains a NUL (U+0000), which PostgreSQL does not accept, or a lone surrogate, which
 * UTF-8 would replace with another character. We refuse both on either engine.
 */
class TextRefused extends Error {
  readonly code = 'TEXT_REFUSED';
  /** The refused text. */
  readonly text: string;

  constructor(text: string) {
    super(`has ${hasNul(text) ? 'the character U+0000' : 'half a surrogate pair'}, which cannot be stored`);
    this.text = text;
  }
}

/** Whether a statement only reads, judged by its first word. */
export function isRead(statement: string): boolean {
  return /^\s*(select|pragma|show)\b/.test(statement);
}

export function hasNul(value: unknown): boolean {
  return typeof value === 'string' && value.includes('\0');
}

/** Throws TextRefused for the first value that is a text we cannot store. */
export function requireStorable(values: readonly unknown[]): void {
  for (const value of values)
    if (typeof value === 'string' && !isStorable(value)) throw new TextRefused(value);
}
