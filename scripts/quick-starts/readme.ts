/** Reads a quick start from a README: everything between its heading and the next one. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '../sources.ts';

/** What a reader does with a fenced block: paste it into a shell, or save it under the name in its first comment. */
export type Step = { readonly command: string } | { readonly file: string; readonly text: string };

const BLOCK = /^```(\w+)\n([\s\S]*?)^```$/gm;
/** The name of the file, in the comment syntax of JavaScript and JSON or of HTML. */
const NAME = /^(?:\/\/|<!--) (?<name>[\w.-]+)(?: -->)?\n/;

/** The steps of the section with this heading. Throws when there is none, or when a block says nothing to do. */
export function readQuickStart(readme: string, heading: string): readonly Step[] {
  const text = readFileSync(join(root, readme), 'utf8');
  const blocks = [...sectionOf(text, heading, readme).matchAll(BLOCK)];
  if (blocks.length === 0) throw new Error(`${readme}: “${heading}” has no steps`);
  return blocks.map(([, language, body = '']) => {
    if (language === 'sh') return { command: body };
    const name = NAME.exec(body)?.groups?.['name'];
    if (name === undefined)
      throw new Error(`${readme}: the first line of a block must name its file:\n${body}`);
    return { file: name, text: body };
  });
}

function sectionOf(text: string, heading: string, readme: string): string {
  const lines = text.split('\n');
  const start = lines.findIndex((line) => /^#+ /.test(line) && line.replace(/^#+ /, '') === heading);
  if (start === -1) throw new Error(`${readme} has no heading “${heading}”`);
  // A comment in a shell block looks like a heading.
  let isCode = false;
  const end = lines.findIndex((line, at) => {
    if (line.startsWith('```')) isCode = !isCode;
    return at > start && !isCode && /^#+ /.test(line);
  });
  return lines.slice(start + 1, end === -1 ? undefined : end).join('\n');
}
