export const MOST_KEYS = 10_000;
export const LONGEST_KEY = 1_024;

/** The keys of a pasted text or a file: one a line, or separated by commas, semicolons or tabs; each once. */
export function parseKeys(text: string): readonly string[] {
  const keys = text.replace(/^﻿/, '').split(/[\r\n,;\t]+/);
  return [...new Set(keys.map((key) => key.trim()).filter((key) => key !== ''))];
}

/** How many keys came and went. */
export function compareKeys(
  before: readonly string[],
  after: readonly string[],
): { readonly added: number; readonly removed: number } {
  const old = new Set(before);
  const now = new Set(after);
  return {
    added: after.filter((key) => !old.has(key)).length,
    removed: before.filter((key) => !now.has(key)).length,
  };
}
