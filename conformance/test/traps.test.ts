/** Each trap names a sentence and a case that exist, and the case cites the sentence. */
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { loadCases } from '../src/commands/list.ts';
import { pathOf } from './helpers.ts';

const page = readFileSync(pathOf('traps.md'), 'utf8');
const rows = [...page.matchAll(/^\| (.+) \| (.+) \| ([A-Z]+-\d+) \| ([\w-]+) \|$/gm)];
const { requirements, cases } = loadCases();

test('every row of traps.md names a sentence, and a case that cites it', () => {
  const wrong = rows.flatMap(([, trap, , sentence = '', id = '']) => {
    // A case with several values has an id for each.
    const found = cases.filter(({ head }) => head.id === id || head.id.startsWith(`${id}.`));
    if (!requirements.has(sentence)) return [`${trap}: there is no sentence ${sentence}`];
    if (found.length === 0) return [`${trap}: there is no case ${id}`];
    const isCited = found.some(({ head }) => head.requirements.includes(sentence));
    return isCited ? [] : [`${trap}: ${id} does not cite ${sentence}`];
  });
  expect(wrong).toEqual([]);
});

test('traps.md has no other rows, and has several languages', () => {
  const written = page.split('\n').filter((line) => line.startsWith('| ') && !line.startsWith('| trap |'));
  expect(rows.map(([row]) => row)).toEqual(written);
  expect(page.match(/^## /gm)!.length).toBeGreaterThanOrEqual(8);
});
