import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import ts from 'typescript';
import { expect, test } from 'vitest';

const src = join(import.meta.dirname, '..', '..', 'src');
const LETTERS = /\p{L}{2}/u;
/** Attributes that people see or hear. */
const READ =
  /^(aria-(label|description|valuetext|roledescription)|label|title|intro|placeholder|alt|help|error|note|text|action|submit)$/;
/** Names of keys and code are the same in every language. */
const SAME_EVERYWHERE = new Set(['kbd', 'code', 'pre']);

/** Texts in components that are not from a messages file. */
function literalTexts(file: string, text: string): readonly string[] {
  const source = ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true, ts.ScriptKind.TSX);
  const found: string[] = [];
  const report = (node: ts.Node, words: string): void => {
    if (!LETTERS.test(words)) return;
    const { line } = source.getLineAndCharacterOfPosition(node.getStart(source));
    found.push(`${file}:${line + 1} ${words.trim()}`);
  };
  const visit = (node: ts.Node): void => {
    if (ts.isJsxElement(node) && SAME_EVERYWHERE.has(node.openingElement.tagName.getText(source))) return;
    if (ts.isJsxText(node)) report(node, node.text);
    if (ts.isJsxExpression(node) && node.expression && ts.isStringLiteralLike(node.expression)) {
      if (!ts.isJsxAttribute(node.parent)) report(node, node.expression.text);
    }
    if (ts.isJsxAttribute(node) && READ.test(node.name.getText(source)) && node.initializer) {
      const value = ts.isJsxExpression(node.initializer) ? node.initializer.expression : node.initializer;
      if (value && (ts.isStringLiteralLike(value) || ts.isTemplateExpression(value))) {
        const words = ts.isStringLiteralLike(value)
          ? [value.text]
          : [value.head.text, ...value.templateSpans.map(({ literal }) => literal.text)];
        report(node, words.join(' '));
      }
    }
    ts.forEachChild(node, visit);
  };
  visit(source);
  return found;
}

test('every text and every name for screen readers is in a messages file', () => {
  const files = readdirSync(src, { recursive: true, encoding: 'utf8' }).filter(
    (file) => file.endsWith('.tsx') && !file.endsWith('.test.tsx') && !file.startsWith('design/'),
  );
  expect(files.length).toBeGreaterThan(30);
  expect(files.flatMap((file) => literalTexts(file, readFileSync(join(src, file), 'utf8')))).toEqual([]);
});

test.each([
  ['<p>Save it</p>', 1],
  ['<p>{"Save it"}</p>', 1],
  ['<Button aria-label="Close" />', 1],
  [`<TextField label={\`Name of \${x}\`} />`, 1],
  ['<kbd>Ctrl</kbd>', 0],
  ['<p>{t.save} · {count} %</p>', 0],
  ['<Stack gap="close" />', 0],
])('the search finds the texts of %s', (code, count) => {
  expect(literalTexts('one.tsx', `const one = ${code};`)).toHaveLength(count);
});
