/** Every text that a person reads in this repository: comments, docstrings, messages, API texts, test names, pages. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import ts from 'typescript';
import { root, trackedFiles } from '../sources.ts';

export type TextKind = 'comment' | 'message' | 'api' | 'test name' | 'title' | 'page';

/** One text and where it begins. */
export interface Text {
  /** From the root, with slashes. */
  readonly path: string;
  readonly line: number;
  readonly kind: TextKind;
  readonly text: string;
}

/** The specification is not ours to edit, and vectors are published as they are. */
const NOT_OURS =
  /^conformance\/(specification\.md|vectors\/|scenarios\/)|package-lock\.json$|^LICENSE$|^scripts\/language\//;
const WITH_HASH_COMMENTS = /\.(py|ya?ml|sh|toml)$|^\.ci\/run$/;
const WITH_SLASH_COMMENTS = /\.(java|rs)$/;
const NAMES_A_TEST = /^(test|it|describe|bench)(\.\w+)*$/;
/** Properties of routes and schemas that `/openapi.json` shows. */
const API_PROPERTIES = new Set(['summary', 'description']);

/** All texts, file by file. `only` keeps the files whose path contains it. */
export function collectTexts(only = ''): readonly Text[] {
  return trackedFiles()
    .filter((path) => path.includes(only) && !NOT_OURS.test(path))
    .flatMap(textsOf);
}

function textsOf(path: string): readonly Text[] {
  if (/\.(ts|tsx|mjs|js)$/.test(path)) return textsOfSource(path, read(path));
  if (path.endsWith('.md')) return textsOfPage(path, read(path));
  if (WITH_HASH_COMMENTS.test(path)) return lineComments(path, read(path), /^\s*#(?!!)\s?(.*)$/);
  if (WITH_SLASH_COMMENTS.test(path))
    return lineComments(path, read(path), /^\s*(?:\/\/[/!]?|\/?\*+)\s?(.*)$/);
  return [];
}

function read(path: string): string {
  return readFileSync(join(root, path), 'utf8');
}

function textsOfSource(path: string, source: string): readonly Text[] {
  const file = ts.createSourceFile(path, source, ts.ScriptTarget.ES2022, true);
  const texts: Text[] = [];
  const seen = new Set<number>();
  const add = (position: number, kind: TextKind, text: string): void => {
    const { line } = file.getLineAndCharacterOfPosition(position);
    if (isProse(text)) texts.push({ path, line: line + 1, kind, text: text.replace(/\s+/g, ' ').trim() });
  };
  const addComments = (ranges: readonly ts.CommentRange[] = []): void => {
    for (const { pos, end } of ranges) {
      if (seen.has(pos)) continue;
      seen.add(pos);
      add(pos, 'comment', stripComment(source.slice(pos, end)));
    }
  };
  const visit = (node: ts.Node): void => {
    addComments(ts.getLeadingCommentRanges(source, node.getFullStart()));
    addComments(ts.getTrailingCommentRanges(source, node.end));
    if (ts.isStringLiteralLike(node) || ts.isTemplateHead(node) || ts.isTemplateMiddleOrTemplateTail(node)) {
      if (!ts.isImportDeclaration(node.parent)) add(node.getStart(), kindOf(node), node.text);
    }
    if (ts.isJsxText(node)) add(node.getStart(), 'message', node.text);
    ts.forEachChild(node, visit);
  };
  visit(file);
  return texts;
}

function kindOf(node: ts.Node): TextKind {
  for (let at = node.parent; at !== undefined; at = at.parent) {
    if (ts.isPropertyAssignment(at)) return API_PROPERTIES.has(at.name.getText()) ? 'api' : 'message';
    if (ts.isCallExpression(at)) return NAMES_A_TEST.test(at.expression.getText()) ? 'test name' : 'message';
    if (ts.isBlock(at)) break;
  }
  return 'message';
}

/** At least three words, and no SQL: keys, paths and code are not read as sentences. */
function isProse(text: string): boolean {
  if (/^\s*(select|insert|update|delete|create|alter|drop|with|values|pragma)\s/.test(text)) return false;
  return /\p{L}{2,}[\s,]+\p{L}+[\s,]+\p{L}{2,}/u.test(text) && !/^\s*biome-ignore/.test(text);
}

function stripComment(text: string): string {
  return text
    .replace(/^\/\*\*?|\*\/$|^\/\//g, '')
    .replace(/\n\s*\* ?/g, '\n')
    .trim();
}

function textsOfPage(path: string, source: string): readonly Text[] {
  const texts: Text[] = [];
  let isCode = false;
  for (const [index, line] of source.split('\n').entries()) {
    if (/^\s*```/.test(line)) isCode = !isCode;
    else if (!isCode && isProse(line)) {
      const kind = line.startsWith('#') ? 'title' : 'page';
      const parts = line.startsWith('|') ? line.split('|').filter(isProse) : [line];
      for (const part of parts)
        texts.push({ path, line: index + 1, kind, text: part.replace(/^[\s#>*-]+/, '').trim() });
    }
  }
  return texts;
}

function lineComments(path: string, source: string, comment: RegExp): readonly Text[] {
  return source.split('\n').flatMap((line, index): readonly Text[] => {
    const text = comment.exec(line)?.[1] ?? '';
    return isProse(text) ? [{ path, line: index + 1, kind: 'comment', text }] : [];
  });
}

/** Sentences of a text; abbreviations and numbers do not end one. */
export function sentencesOf(text: string): readonly string[] {
  return text
    .split(/(?<=[a-z)`"'\]][.!?])\s+(?=[A-Z`"(])/)
    .map((sentence) => sentence.trim())
    .filter((sentence) => sentence !== '');
}
