/** Every text that a person reads in this repository: comments, docstrings, messages, API texts, test names, pages. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { root, trackedFiles } from '../sources.ts';
import { textsOfDocstrings, textsOfLineComments, textsOfPage } from './page-texts.ts';
import { textsOfSource } from './source-texts.ts';
import type { Text } from './text.ts';

/** Not collected: the specification is not ours to edit, and vectors are published as they are. */
const NOT_OURS =
  /^conformance\/(specification\.md|vectors\/|scenarios\/)|package-lock\.json$|^LICENSE$|^scripts\/language\//;
const WITH_HASH_COMMENTS = /\.(py|ya?ml|sh|toml)$|^\.ci\/run$/;
const WITH_SLASH_COMMENTS = /\.(java|rs)$/;

/** All texts, file by file. `only` keeps the files whose path contains it. */
export function collectTexts(only = ''): readonly Text[] {
  return trackedFiles()
    .filter((path) => path.includes(only) && !NOT_OURS.test(path))
    .flatMap((path) => textsOf(path).map((found) => ({ path, ...found })))
    .filter((text) => !isMutantCode(text));
}

/** The strings of a mutant are source code, except the reason why the mutant is equivalent. */
function isMutantCode({ path, kind, context }: Text): boolean {
  return path.startsWith('conformance/mutants/registry/') && kind === 'message' && context !== 'equivalent';
}

function textsOf(path: string): readonly Omit<Text, 'path'>[] {
  const read = (): string => readFileSync(join(root, path), 'utf8');
  if (/\.(ts|tsx|mjs|js)$/.test(path)) return textsOfSource(path, read());
  if (path.endsWith('.md')) return textsOfPage(read());
  const docstrings = path.endsWith('.py') ? textsOfDocstrings(read()) : [];
  if (WITH_HASH_COMMENTS.test(path))
    return [...docstrings, ...textsOfLineComments(read(), /^\s*#(?!!)\s?(.*)$/)];
  if (WITH_SLASH_COMMENTS.test(path)) return textsOfLineComments(read(), /^\s*(?:\/\/[/!]?|\/?\*+)\s?(.*)$/);
  return [];
}

/** Sentences of a text; abbreviations and numbers do not end one. */
export function sentencesOf(text: string): readonly string[] {
  return text
    .split(/(?<=[a-z)`"'\]][.!?])\s+(?=[A-Z`"(])/)
    .map((sentence) => sentence.trim())
    .filter((sentence) => sentence !== '');
}
