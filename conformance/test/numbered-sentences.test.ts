/**
 * Each numbered sentence is cited by a case or says why no case can test it, and its hash is recorded in
 * requirements.json.
 */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { loadRelayScenarios, loadScenarios, loadServerScenarios } from '../src/scenarios/load.ts';
import { hashOfSentence, parseSentences, readSentences } from '../src/suite/numbered-sentences.ts';
import { loadSuite } from '../src/suite/suite.ts';
import { pathOf } from './helpers.ts';

const root = pathOf('.');
const sentences = readSentences(root);
const { owed } = JSON.parse(readFileSync(pathOf('requirements.json'), 'utf8')) as {
  readonly owed: Readonly<Record<string, string>>;
};

/** Ids of the cases that cite each id. */
const cited = ((): ReadonlyMap<string, readonly string[]> => {
  const suite = loadSuite();
  const cases = [
    ...suite.vectors,
    ...loadScenarios(suite.directory).scenarios,
    ...loadServerScenarios(suite.directory).scenarios,
    ...loadRelayScenarios(suite.directory).scenarios,
  ];
  const found = new Map<string, string[]>();
  for (const { id, requirements } of cases) {
    for (const name of requirements) found.set(name, [...(found.get(name) ?? []), id]);
  }
  return found;
})();

test('a sentence changes only together with its recorded hash', () => {
  const changed = sentences
    .filter(({ id, sentence }) => owed[id] !== hashOfSentence(sentence))
    .map(({ id, sentence }) => {
      const cases = cited.get(id)?.slice(0, 5).join(', ') ?? 'no case yet';
      return `${id} is cited by ${cases}: if these still test the new text, record "${id}": "${hashOfSentence(sentence)}" in requirements.json`;
    });
  expect(changed).toEqual([]);
  const known = new Set(sentences.map(({ id }) => id));
  expect(Object.keys(owed).filter((id) => !known.has(id))).toEqual([]);
});

test('every sentence is cited by a case, or says why it cannot be tested', () => {
  const loose = sentences.filter(({ id, notTested }) => !cited.has(id) && notTested === undefined);
  expect(loose.map(({ id, sentence }) => `${id} ${sentence}`)).toEqual([]);
  const both = sentences.filter(({ id, notTested }) => cited.has(id) && notTested !== undefined);
  expect(both.map(({ id }) => `${id} is cited by ${cited.get(id)}, but says that it is not tested`)).toEqual(
    [],
  );
});

test('every vector and bucket.csv cite a sentence of what-an-evaluator-owes.md', () => {
  const { vectors } = loadSuite();
  const loose = vectors.filter(({ requirements }) => !requirements.some((id) => id.startsWith('EV-')));
  expect(loose.map(({ id }) => id)).toEqual([]);
  const { files } = JSON.parse(readFileSync(pathOf('index.json'), 'utf8')) as {
    readonly files: readonly { readonly file: string; readonly requirements: readonly string[] }[];
  };
  const rows = files.find(({ file }) => file === 'vectors/bucket.csv');
  expect(rows?.requirements.filter((id) => id.startsWith('EV-'))).not.toEqual([]);
});

test.each([
  ['no why', '- **CL-1** A client polls.\n', 'write "- **ID-1** Sentence."'],
  ['a sentence on two lines', '- **CL-1** A client\n  polls.\n  *Why:* news.\n', 'not - **CL-1** A client'],
  ['a number that is not bold', '- CL-1 A client polls.\n  *Why:* news.\n', 'not - CL-1'],
  ['a number twice', '- **CL-1** A.\n  *Why:* b.\n- **CL-1** C.\n  *Why:* d.\n', 'page.md has CL-1 twice'],
])('refuses a page with %s', (_what, text, message) => {
  expect(() => parseSentences('page.md', `# Page\n\n${text}`)).toThrow(message);
});

test('reads required, optional and untested sentences', () => {
  const page =
    '# Page\n\nCL-1 is named here.\n\n## Topic\n\n- **CL-1** A `b`.\n  *Why:* c.\n- **CL-2** (optional) D.\n  *Why:* e.\n  *Not tested:* f.\n';
  expect(parseSentences('page.md', page)).toEqual([
    { id: 'CL-1', section: 'page.md', sentence: 'A `b`.', level: 'decided', why: 'c.' },
    { id: 'CL-2', section: 'page.md', sentence: 'D.', level: 'optional', why: 'e.', notTested: 'f.' },
  ]);
});

const pages = readdirSync(root).filter((name) => name.endsWith('.md'));
const anchorsOf = (page: string): readonly string[] =>
  [...readFileSync(join(root, page), 'utf8').matchAll(/^#+ (.*)$/gm)].map(([, title = '']) =>
    title
      .toLowerCase()
      .replace(/[^\w -]/g, '')
      .replaceAll(' ', '-'),
  );
test.each(pages)('every link in %s leads to an existing part of the package', (page) => {
  const { files } = JSON.parse(readFileSync(pathOf('package.json'), 'utf8')) as { readonly files: string[] };
  const text = readFileSync(pathOf(page), 'utf8');
  const links = [...text.matchAll(/\]\((?!https?:\/\/)([^)#]*)(?:#([^)]*))?\)/g)];
  const ships = (path: string) =>
    path.endsWith('.md')
      ? dirname(path) === '.'
      : files.some((name) => path === name || path.startsWith(`${name}/`));
  const lost = links.filter(([, target, anchor]) => {
    const path = join(target || page);
    if (!ships(path) || !existsSync(join(root, path))) return true;
    return anchor !== undefined && !anchorsOf(path).includes(anchor);
  });
  expect(lost.map(([link]) => link)).toEqual([]);
});
