export type TextKind = 'comment' | 'message' | 'api' | 'test name' | 'title' | 'page';

/** One text and where it begins. */
export interface Text {
  /** From the root, with slashes. */
  readonly path: string;
  readonly line: number;
  readonly kind: TextKind;
  readonly text: string;
  /** Where the text belongs: the code that a comment describes, the groups of a test, the heading of a paragraph. */
  readonly context: string;
}

const NOT_READ = [
  /^\s*(select|insert|update|delete|create|alter|drop|with|values|pragma)\s/,
  /^\s*(biome-ignore|@ts-)/,
  // A script or a style sheet in a string.
  /=>|\);|^\s*(const|let|import)\s|[{;]\s*[\w-]+\s*:[^;]*;/,
];

/** At least three words, and neither SQL nor a script: keys, paths and code are not read as sentences. */
export function isProse(text: string): boolean {
  const hasWords = /\p{L}{2,}[\s,]+\p{L}+[\s,]+\p{L}{2,}/u.test(text);
  return hasWords && !NOT_READ.some((pattern) => pattern.test(text));
}
