/** Styles of the command line itself; `withoutEscapes` removes all other escape codes. */
const BOLD = '\u001b[1m';
const PLAIN = '\u001b[0m';

/** Text that stands out in a terminal with colors. */
export function bold(text: string): string {
  return text === '' ? '' : `${BOLD}${text}${PLAIN}`;
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: these are the characters to remove
const STYLES = /(\u001b\[[01]m)/;

/**
 * Removes control characters, which could act on the terminal, because other people wrote parts of the text. Keeps the
 * styles of `bold` if `keepStyles` is true.
 */
export function withoutEscapes(text: string, keepStyles: boolean): string {
  return text
    .split(STYLES)
    .map((part) =>
      STYLES.test(part)
        ? keepStyles
          ? part
          : ''
        : part.replace(/\p{Cc}/gu, (one) => (one === '\n' || one === '\t' ? one : '\ufffd')),
    )
    .join('');
}

/** JSON in which every control character is escaped. */
export function jsonText(value: unknown, indent?: number): string {
  return escapeControls(JSON.stringify(value, null, indent));
}

/** JSON escapes only the control characters below the space. */
export function escapeControls(json: string): string {
  return json.replace(/[\u007f-\u009f]/g, (one) => `\\u00${one.charCodeAt(0).toString(16)}`);
}

/** How many columns of a terminal a text takes: two for wide characters, none for combining ones. */
export function widthOf(text: string): number {
  let width = 0;
  for (const character of text) {
    if (/[\p{Mn}\p{Me}\p{Cf}\p{Cc}]/u.test(character)) continue;
    width += WIDE.test(character) ? 2 : 1;
  }
  return width;
}

const WIDE =
  /[\u1100-\u115f\u2e80-\u303e\u3041-\u33ff\u3400-\u4dbf\u4e00-\u9fff\ua000-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6]|\p{Emoji_Presentation}|[\u{20000}-\u{3fffd}]/u;

/** The lines of a text in a column of this width. Breaks at spaces, and inside words that are too long. */
export function foldText(text: string, width: number): readonly string[] {
  const lines: string[] = [];
  let line = '';
  let used = 0;
  const endLine = (): void => {
    lines.push(line.trimEnd());
    line = '';
    used = 0;
  };
  for (const word of text.split(/(?<= )/)) {
    const needed = widthOf(word.trimEnd());
    if (line !== '' && used + needed > width) endLine();
    for (const part of needed > width ? word : [word]) {
      if (line !== '' && used + widthOf(part.trimEnd()) > width) endLine();
      line += part;
      used += widthOf(part);
    }
  }
  return line.trimEnd() === '' && lines.length > 0 ? lines : [...lines, line.trimEnd()];
}
