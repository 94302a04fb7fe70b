export type TextKind = 'comment' | 'message' | 'api' | 'test name' | 'title' | 'page';

/** One text and where it begins. */
export interface Text {
  /** From the root, with slashes. */
  readonly path: string;
  readonly line: number;
  readonly kind: TextKind;
  readonly text: string;
  /** What stands around it: the code that a comment describes, the groups of a test, the heading of a paragraph. */
  readonly context: string;
}

/** At least three words, and no SQL: keys, paths and code are not read as sentences. */
export function isProse(text: string): boolean {
  if (/^\s*(select|insert|update|delete|create|alter|drop|with|values|pragma)\s/.test(text)) return false;
  return /\p{L}{2,}[\s,]+\p{L}+[\s,]+\p{L}{2,}/u.test(text) && !/^\s*(biome-ignore|@ts-)/.test(text);
}
