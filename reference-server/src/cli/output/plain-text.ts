/** Styles of the command line itself; `withoutEscapes` removes all other escape codes. */
const BOLD = '\u001b[1m';
const PLAIN = '\u001b[0m';

/** Text that stands out in a terminal with colors. */
export function bold(text: string): string {
  return text === '' ? '' : `${BOLD}${text}${PLAIN}`;
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: these are the characters to remove
const STYLES = /(\u001b\[[01]m)/g;

/**
 * Removes control characters, which could act on the terminal, because other people wrote parts of the text. Keeps the
 * styles of `bold` if `keepStyles` is true.
 */
export function withoutEscapes(text: string, keepStyles: boolean): string {
  return text
    .split(STYLES)
    .map((part) =>
      part === BOLD || part === PLAIN
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

const ASCII = /^[ -~]*$/;
const CLUSTERS = new Intl.Segmenter('en', { granularity: 'grapheme' });

/** The characters as people see them: an emoji of several code points is one. */
function clustersOf(text: string): Iterable<string> {
  return ASCII.test(text) ? text : [...CLUSTERS.segment(text)].map(({ segment }) => segment);
}

/** How many columns of a terminal a text takes: two for wide characters and emoji, none for marks of their own. */
export function widthOf(text: string): number {
  if (ASCII.test(text)) return text.length;
  const plain = text.includes('\u001b') ? text.replaceAll(STYLES, '') : text;
  let width = 0;
  for (const cluster of clustersOf(plain)) width += clusterWidth(cluster);
  return width;
}

function clusterWidth(cluster: string): number {
  if (/^[\p{Mn}\p{Me}\p{Cf}\p{Cc}]+$/u.test(cluster)) return 0;
  return WIDE.test(cluster) || cluster.includes('\ufe0f') ? 2 : 1;
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
    for (const part of needed > width ? clustersOf(word) : [word]) {
      if (line !== '' && used + widthOf(part.trimEnd()) > width) endLine();
      line += part;
      used += widthOf(part);
    }
  }
  return line.trimEnd() === '' && lines.length > 0 ? lines : [...lines, line.trimEnd()];
}

/**
 * Folds the lines of a text that are wider than the terminal, and indents what follows: below the value of a field, or
 * two columns more than an indented line. Commands stay whole, because people copy them.
 */
export function foldLines(text: string, columns: number | undefined): string {
  if (columns === undefined) return text;
  return text
    .split('\n')
    .flatMap((line) =>
      widthOf(line) <= columns || /^ *flagsvc /.test(line) ? [line] : foldLine(line, columns),
    )
    .join('\n');
}

function foldLine(line: string, columns: number): readonly string[] {
  const [margin] = /^ */.exec(line)!;
  const [name] = /^[^ ](?:[^ ]| (?! ))* {2,}/.exec(line) ?? [];
  const indent =
    name !== undefined && name.length <= columns / 2 ? name.length : margin === '' ? 0 : margin.length + 2;
  const [first, ...others] = foldText(line.slice(margin.length), columns - indent);
  return name === undefined
    ? [margin + first, ...others.map((part) => ' '.repeat(indent) + part)]
    : foldText(line.slice(name.length), columns - indent).map((part, at) =>
        at === 0 ? name + part : ' '.repeat(indent) + part,
      );
}
