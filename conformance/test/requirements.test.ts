/** Every line of the specification has a requirement or is listed as untested; a line that changes fails this test. */
import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { loadScenarios, loadServerScenarios } from '../src/scenarios/load.ts';
import { loadSuite } from '../src/suite/suite.ts';
import { pathOf } from './helpers.ts';

interface Requirement {
  readonly id: string;
  readonly section: string;
  readonly sentence: string;
  readonly level: 'stated' | 'decided' | 'optional';
  /** The part of the kit that tests it; with `elsewhere`, `why` names the test files. */
  readonly by: 'vectors' | 'sdk' | 'server' | 'elsewhere';
  readonly why?: string;
  readonly hashes?: readonly string[];
}

const { requirements, untested } = JSON.parse(readFileSync(pathOf('requirements.json'), 'utf8')) as {
  readonly requirements: readonly Requirement[];
  readonly untested: readonly { readonly line: string; readonly why: string }[];
};
const lines = readFileSync(pathOf('specification.md'), 'utf8').split('\n');
const hashOf = (line: string): string => createHash('sha256').update(line).digest('hex');
const lineOf = new Map(lines.map((line) => [hashOf(line), line]));
const wordsOf = (text: string): readonly string[] => text.match(/[A-Za-z0-9_/{}*$]+/g) ?? [];
const stated = requirements.filter(({ level }) => level === 'stated');

test('every stated requirement refers to unchanged lines of the specification', () => {
  const changed = stated.filter(
    ({ hashes = [] }) => !hashes.length || !hashes.every((one) => lineOf.has(one)),
  );
  expect(changed.map(({ id, sentence }) => `${id}: ${sentence}`)).toEqual([]);
});

test('a requirement taken from a single line uses only words of that line', () => {
  const foreign = stated
    .filter(({ hashes = [] }) => hashes.length === 1)
    .filter(({ sentence, hashes }) => {
      // Tables of the specification have a column "Required" with yes and no.
      const line = lineOf.get(hashes![0]!)!.replace('| yes |', 'required').replace('| no |', 'not required');
      const words = new Set(wordsOf(line));
      return !wordsOf(sentence).every((word) => words.has(word));
    });
  expect(foreign.map(({ id }) => id)).toEqual([]);
});

/** Headings, table heads, lines that introduce a table, and lines that leave something open need no requirement. */
const isStructure = (line: string, at: number): boolean =>
  /^(\s*|#.*|\|[-|]+\||[\w ]+:)$/.test(line) ||
  /^\|[-|]+\|$/.test(lines[at + 1] ?? '') ||
  /not shown\.$/.test(line);

test('every line of the specification has a requirement or is listed as untested', () => {
  const claimed = new Set(stated.flatMap(({ hashes = [] }) => hashes));
  const listed = new Set(untested.map(({ line }) => line));
  const forgotten = lines.filter(
    (line, at) => !isStructure(line, at) && !claimed.has(hashOf(line)) && !listed.has(line),
  );
  expect(forgotten).toEqual([]);
  expect([...listed].filter((line) => !lines.includes(line) || claimed.has(hashOf(line)))).toEqual([]);
  expect(untested.every(({ why }) => why !== '')).toBe(true);
});

test('every requirement is covered by a vector or a scenario, or says which tests cover it', () => {
  const suite = loadSuite();
  const named = (cases: readonly { readonly requirements: readonly string[] }[]) =>
    new Set(cases.flatMap((one) => one.requirements));
  const cases = {
    vectors: named(suite.vectors),
    sdk: named(loadScenarios(suite.directory).scenarios),
    server: named(loadServerScenarios(suite.directory).scenarios),
  };
  const uncovered = requirements.filter(({ id, by, why = '' }) => {
    if (by !== 'elsewhere') return !cases[by].has(id);
    const files = why.match(/[\w/-]+\.test\.ts/g) ?? [];
    return why === '' || !files.every((file) => existsSync(pathOf(`../${file}`)));
  });
  expect(uncovered.map(({ id, by }) => `${id} by ${by}`)).toEqual([]);
});

test('each name D01 to D35 is used by a vector and listed with its sentences', () => {
  const carried = new Set(loadSuite().vectors.map(({ decision }) => decision));
  const rows = readFileSync(pathOf('what-an-evaluator-owes.md'), 'utf8')
    .split('\n')
    .filter((line) => /^\| D\d{2}/.test(line) && /EV-\d+/.test(line));
  const listed = new Set(rows.flatMap((row) => row.split('|')[1]!.match(/D\d{2}/g)));
  for (let number = 1; number <= 35; number++) {
    const name = `D${String(number).padStart(2, '0')}`;
    expect(carried, name).toContain(name);
    expect(listed, name).toContain(name);
  }
});
