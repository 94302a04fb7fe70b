import ts from 'typescript';
import { isProse, type Text, type TextKind } from './text.ts';

const NAMES_A_TEST = /^(test|it|describe|bench)(\.\w+)*$/;
/** Properties of routes and schemas that `/openapi.json` shows. */
const API_PROPERTIES = new Set(['summary', 'description']);
const TEST_FILE = /\.(test|test-d|bench)\.tsx?$|\/(test|bench)\//;
const CONTEXT_LENGTH = 120;

interface Found {
  readonly position: number;
  readonly kind: TextKind;
  readonly text: string;
  readonly context: string;
}

/** Comments, strings and JSX texts of a TypeScript or JavaScript source. */
export function textsOfSource(path: string, source: string): readonly Omit<Text, 'path'>[] {
  const file = ts.createSourceFile(path, source, ts.ScriptTarget.ES2022, true);
  const found = new Map<number, Found>();
  const visit = (node: ts.Node): void => {
    for (const comment of commentsAround(node, source))
      if (!found.has(comment.position)) found.set(comment.position, comment);
    const text = wholeString(node) ?? (ts.isJsxText(node) ? node.text : undefined);
    if (text !== undefined) found.set(node.getStart(), describe(node, text, path));
    if (!isString(node)) ts.forEachChild(node, visit);
    else ts.forEachChild(node, (child) => visitExpressions(child, visit));
  };
  visit(file);
  return [...found.values()]
    .filter(({ text }) => isProse(text))
    .map(({ position, kind, text, context }) => ({
      line: file.getLineAndCharacterOfPosition(position).line + 1,
      kind,
      text: oneLine(text),
      context,
    }));
}

/** Comments before and after a node; consecutive line comments count as one. */
function commentsAround(node: ts.Node, source: string): readonly Found[] {
  const leading = ts.getLeadingCommentRanges(source, node.getFullStart()) ?? [];
  const trailing = ts.getTrailingCommentRanges(source, node.end) ?? [];
  const groups: { pos: number; end: number }[] = [];
  for (const { pos, end } of [...leading, ...trailing]) {
    const previous = groups.at(-1);
    const isNext = previous !== undefined && /^\r?\n[ \t]*$/.test(source.slice(previous.end, pos));
    if (isNext && source.startsWith('//', previous.pos) && source.startsWith('//', pos)) previous.end = end;
    else groups.push({ pos, end });
  }
  return groups.map(({ pos, end }) => ({
    position: pos,
    kind: 'comment',
    text: stripComment(source.slice(pos, end)),
    context: oneLine(source.slice(end, end + 3 * CONTEXT_LENGTH)).slice(0, CONTEXT_LENGTH),
  }));
}

function stripComment(text: string): string {
  return text
    .replace(/^\/\*\*?|\*\/$/g, '')
    .replace(/(^|\n)\s*\/\/ ?/g, '$1')
    .replace(/\n\s*\* ?/g, '\n')
    .trim();
}

function isString(node: ts.Node): boolean {
  return ts.isStringLiteralLike(node) || ts.isTemplateExpression(node) || isSum(node);
}

function isSum(node: ts.Node): node is ts.BinaryExpression {
  return ts.isBinaryExpression(node) && node.operatorToken.kind === ts.SyntaxKind.PlusToken;
}

/** The text of a string, a template or a sum of them, with `…` for each value that is inserted at run time. */
function wholeString(node: ts.Node): string | undefined {
  if (node.parent !== undefined && ts.isTaggedTemplateExpression(node.parent)) return undefined;
  if (ts.isStringLiteralLike(node)) return ts.isImportDeclaration(node.parent) ? undefined : node.text;
  if (ts.isTemplateExpression(node))
    return node.head.text + node.templateSpans.map(({ literal }) => `…${literal.text}`).join('');
  if (!isSum(node)) return undefined;
  const [left, right] = [wholeString(node.left), wholeString(node.right)];
  return left === undefined && right === undefined ? undefined : (left ?? '…') + (right ?? '…');
}

/** Visits the expressions inside a template or a sum, but not the strings that these consist of. */
function visitExpressions(node: ts.Node, visit: (node: ts.Node) => void): void {
  if (ts.isTemplateSpan(node)) visit(node.expression);
  else if (ts.isTemplateExpression(node) || isSum(node))
    ts.forEachChild(node, (child) => visitExpressions(child, visit));
  else if (!ts.isStringLiteralLike(node)) visit(node);
}

function describe(node: ts.Node, text: string, path: string): Found {
  const position = node.getStart();
  let parent = node.parent;
  while (parent !== undefined && !ts.isBlock(parent)) {
    if (ts.isPropertyAssignment(parent)) return { position, text, ...kindOfProperty(parent, path) };
    if (ts.isCallExpression(parent)) {
      const called = parent.expression.getText().replace(/\(.*$/s, '');
      if (NAMES_A_TEST.test(called))
        return { position, text, kind: 'test name', context: groupsOf(parent).join(' > ') };
      return { position, text, kind: 'message', context: `${called}(…)`.slice(-CONTEXT_LENGTH) };
    }
    parent = parent.parent;
  }
  return {
    position,
    text,
    kind: 'message',
    context: oneLine(node.parent.getText()).slice(0, CONTEXT_LENGTH),
  };
}

function kindOfProperty(property: ts.PropertyAssignment, path: string): Pick<Found, 'kind' | 'context'> {
  const name = property.name.getText();
  if (TEST_FILE.test(path)) return { kind: name === 'name' ? 'test name' : 'message', context: name };
  const owner = property.parent.parent;
  const context = ts.isPropertyAssignment(owner) ? `${owner.name.getText()}.${name}` : name;
  return { kind: API_PROPERTIES.has(name) ? 'api' : 'message', context };
}

/** The titles of the groups that contain a test, outermost first. */
function groupsOf(test: ts.Node): readonly string[] {
  const groups: string[] = [];
  for (let node = test.parent; node !== undefined; node = node.parent) {
    const title =
      ts.isCallExpression(node) && /^describe/.test(node.expression.getText()) && node.arguments[0];
    if (title && ts.isStringLiteralLike(title)) groups.unshift(title.text);
  }
  return groups;
}

function oneLine(text: string): string {
  return text.replace(/\s+/g, ' ').trim();
}
