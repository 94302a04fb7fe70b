import { expect, test } from 'vitest';
import { reportOf } from '../../test/helpers.ts';
import { createHuman } from './human.ts';
import type { CaseResult } from './results.ts';

const failing = (at: number, problems: CaseResult['problems'] = []): CaseResult => ({
  id: `case-${at}`,
  group: 'vectors/x',
  title: 'fails',
  requirements: at > 3 ? ['rare', 'common'] : ['common'],
  level: 'stated',
  outcome: 'fail',
  ms: 1,
  problems,
});
const requirements = new Map(
  ['rare', 'common'].map((id) => [
    id,
    { id, section: 'S', sentence: `The ${id} sentence.`, level: 'stated' as const },
  ]),
);
const print = (cases: readonly CaseResult[], hasFiles = false): string => {
  const parts: string[] = [];
  const out = { live: false, write: (part: string) => void parts.push(part) };
  const repeat = (id: string) => `kit --only ${id}`;
  const human = createHuman({ out, planned: cases.length, requirements, hasFiles, repeat });
  for (const one of cases) human.caseDone(one);
  human.end(reportOf(cases));
  return parts.join('');
};

test('shows the summary of a flag once for consecutive calls', () => {
  const call = (at: number, flag: string) => ({ where: `call ${at}`, message: 'wrong', flag });
  const text = print([failing(1, [call(1, 'enabled'), call(2, 'enabled'), call(3, 'disabled')])]);
  expect(text.match(/ flag .*/g)).toEqual([' flag      enabled', ' flag      disabled']);
  expect(text).toContain('kit --only case-1');
});

test('shows for many failures which sentences fail most, and how to get all results', () => {
  const many = Array.from({ length: 12 }, (_, at) => failing(at + 1));
  const text = print(many);
  expect(text).toContain('  and 2 more; --out DIR writes all of them to files\n');
  expect(text).toMatch(
    /sentences with the most failures:\n +12 {2}The common sentence\. .*\n +9 {2}The rare sentence\. /,
  );
  expect(print(many, true)).toContain('  and 2 more\n');
  expect(print(many.slice(0, 10))).not.toMatch(/the most failures|more/);
});
