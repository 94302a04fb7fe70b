/** Checks that cited decisions and numbered sentences exist, and that every decision page has the required parts. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { resolveImport, root, trackedFiles } from './sources.ts';

const THIS = 'scripts/references.test.ts';
const read = (path: string): string => readFileSync(join(root, path), 'utf8');
const texts = trackedFiles()
  .filter((path) => /\.(ts|tsx|mjs|js|json|md|py|java|rs|ya?ml|html)$/.test(path))
  .filter((path) => path !== THIS && !path.endsWith('package-lock.json'))
  .map((path) => ({ path, text: read(path) }));
const pages = texts.filter(({ path }) => /^decisions\/\d{4}-[\w-]+\.md$/.test(path));
const README = 'decisions/README.md';

/** All matches whose first group is not in `known`, as `file: match`. */
function unknown(pattern: RegExp, known: ReadonlySet<string>): readonly string[] {
  return texts.flatMap(({ path, text }) =>
    [...text.matchAll(pattern)]
      .filter(([, name]) => !known.has(name!))
      .map(([reference]) => `${path}: ${reference}`),
  );
}

test('every decision that a text cites has a page', () => {
  const numbers = new Set(pages.map(({ path }) => path.slice('decisions/'.length).slice(0, 4)));
  expect(unknown(/\bdecisions\/(\d{4})\b/g, numbers)).toEqual([]);
});

test('texts cite decisions in the form decisions/0008', () => {
  const other = /\bdecisions? (?:D\d\d|\d{4})\b/gi;
  expect(unknown(other, new Set())).toEqual([]);
});

test('every numbered sentence that a text cites exists', () => {
  const sentences = ['what-an-evaluator-owes.md', 'what-a-client-owes.md', 'what-a-relay-owes.md'].flatMap(
    (page) => [...read(`conformance/${page}`).matchAll(/^- \*\*([A-Z]{2}-\d+)\*\*/gm)].map(([, id]) => id!),
  );
  expect(unknown(/\b((?:EV|CL|RL)-\d+)\b/g, new Set(sentences))).toEqual([]);
});

test.each(pages)('$path has its number, context, choice and consequence on one page', ({ path, text }) => {
  const number = path.slice('decisions/'.length).slice(0, 4);
  const [title, ...headings] = text.match(/^#+ .+$/gm) ?? [];
  expect(title).toMatch(new RegExp(`^# ${number}: \\S`));
  expect(headings).toEqual(['## Context', '## Choice', '## Consequence']);
  expect(text.split(/\s+/).length).toBeLessThanOrEqual(450);
});

test('the index lists every decision by its title', () => {
  const listed = [...read(README).matchAll(/^\| \[(\d{4})\]\(([\w-]+\.md)\) \| (.+) \|$/gm)];
  const rows = listed.map(([, number, file, title]) => ({
    path: `decisions/${file}`,
    heading: `# ${number}: ${title}`,
  }));
  expect(rows).toEqual(pages.map(({ path, text }) => ({ path, heading: text.split('\n')[0] })));
});

/** The anchors that GitHub gives the headings of a page. */
const anchorsOf = (text: string): readonly string[] =>
  [...text.matchAll(/^#+ (.*)$/gm)].map(([, title]) =>
    title!
      .toLowerCase()
      .replace(/[^\w -]/g, '')
      .replaceAll(' ', '-'),
  );

test('every anchor that a page links to is a heading', () => {
  const byPath = new Map(texts.map(({ path, text }) => [path, text]));
  const lost = texts
    .filter(({ path }) => path.endsWith('.md'))
    .flatMap(({ path, text }) =>
      [...text.matchAll(/\]\((?!https?:|mailto:)([^)#\s]*)#([^)\s]+)\)/g)]
        .map(([, target, anchor]) => ({ page: target ? resolveImport(path, target) : path, anchor: anchor! }))
        .filter(({ page, anchor }) => !anchorsOf(byPath.get(page) ?? '').includes(anchor))
        .map(({ page, anchor }) => `${path} links to ${page}#${anchor}`),
    );
  expect(lost).toEqual([]);
});
