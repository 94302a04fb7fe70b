import { isProse, type Text } from './text.ts';

/** Paragraphs, list items, table cells and headings of a Markdown page; each must be on one line. */
export function textsOfPage(source: string): readonly Omit<Text, 'path'>[] {
  const texts: Omit<Text, 'path'>[] = [];
  let isCode = false;
  let heading = '';
  for (const [index, line] of source.split('\n').entries()) {
    if (/^\s*```/.test(line)) isCode = !isCode;
    if (isCode) continue;
    const isTitle = line.startsWith('#');
    if (isTitle) heading = strip(line);
    const parts = line.startsWith('|') ? line.split('|') : [line];
    for (const part of parts.filter(isProse))
      texts.push({
        line: index + 1,
        kind: isTitle ? 'title' : 'page',
        text: strip(part),
        context: isTitle ? '' : heading,
      });
  }
  return texts;
}

function strip(line: string): string {
  return line.replace(/^[\s#>*-]+/, '').trim();
}

/** Comments of a file: the lines that match `comment`. Consecutive lines count as one text. */
export function textsOfLineComments(source: string, comment: RegExp): readonly Omit<Text, 'path'>[] {
  const texts: Omit<Text, 'path'>[] = [];
  let open: { line: number; words: string[] } | undefined;
  for (const [index, line] of [...source.split('\n'), ''].entries()) {
    const words = comment.exec(line)?.[1]?.trim() ?? '';
    if (words !== '') {
      open ??= { line: index + 1, words: [] };
      open.words.push(words);
    } else if (open !== undefined) {
      const text = open.words.join(' ');
      if (isProse(text)) texts.push({ line: open.line, kind: 'comment', text, context: line.trim() });
      open = undefined;
    }
  }
  return texts;
}

/** Docstrings of a Python file. */
export function textsOfDocstrings(source: string): readonly Omit<Text, 'path'>[] {
  return [...source.matchAll(/"""([\s\S]*?)"""/g)]
    .filter(([, text]) => isProse(text!))
    .map(({ 1: text, index }) => ({
      line: source.slice(0, index).split('\n').length,
      kind: 'comment',
      text: text!.replace(/\s+/g, ' ').trim(),
      context: source.slice(0, index).trimEnd().split('\n').at(-1)!.trim(),
    }));
}
