/** What shows that a text is one of our secrets, a token or a password in a URL; the last net under the log. */
const SECRETS: readonly (readonly [RegExp, string])[] = [
  [/\b(sdk-(?:dev|staging|prod)-)[\w-]+/g, '$1[hidden]'],
  [/\b((?:pat|svc|rt|rst|invt|whsec)_)[\w+/=-]{32,}/g, '$1[hidden]'],
  [/\beyJ[\w-]+\.[\w-]+\.[\w-]*/g, '[hidden]'],
  [/\b(Bearer|Basic) +[\w.~+/=-]{8,}/gi, '$1 [hidden]'],
  [/(\w:\/\/[^\s/:@"\\]*:)[^\s/@"\\]+@/g, '$1[hidden]@'],
];

/**
 * What can control a terminal or reorder text: control characters, line separators, marks of writing direction, and
 * characters without width.
 */
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what has to go.
const CONTROLS = /[\u0000-\u001f\u007f-\u009f\u00ad\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff]/g;

/** Replaces secrets in a line of the log, which nothing should have put there. */
export function hideSecrets(line: string): string {
  return SECRETS.reduce((text, [pattern, replacement]) => text.replace(pattern, replacement), line);
}

/** Writes every character that could control a terminal as `\uXXXX`, which JSON reads as the same character. */
export function escapeControls(text: string): string {
  return text.replace(CONTROLS, (one) => `\\u${one.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

/** A JSON line of the log, with its line break, that is safe to show. */
export function toSafeLine(line: string): string {
  return `${escapeControls(hideSecrets(line.trimEnd()))}\n`;
}
