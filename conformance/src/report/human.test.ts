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
const tell = (cases: readonly CaseResult[], writes = false): string => {
  const parts: string[] = [];
  const out = { live: false, write: (part: string) => void parts.push(part) };
  const repeat = (id: string) => `kit --only ${id}`;
  const human = createHuman({ out, planned: cases.length, requirements, writes, repeat });
  for (const one of cases) human.caseDone(one);
  human.end(reportOf(cases));
  return parts.join('');
};

test('shows what decides a flag once for the calls that are about it', () => {
  const call = (at: number, flag: string) => ({ where: `call ${at}`, message: 'wrong', flag });
  const text = tell([failing(1, [call(1, 'enabled'), call(2, 'enabled'), call(3, 'disabled')])]);
  expect(text.match(/ flag .*/g)).toEqual([' flag      enabled', ' flag      disabled']);
  expect(text).toContain('kit --only case-1');
});

test('says of many failures what most are about, and how to get all of them', () => {
  const many = Array.from({ length: 12 }, (_, at) => failing(at + 1));
  const text = tell(many);
  expect(text).toContain('  and 2 more; --out DIR writes all of them down\n');
  expect(text).toMatch(
    /most failures are about:\n +12 {2}The common sentence\. .*\n +9 {2}The rare sentence\. /,
  );
  expect(tell(many, true)).toContain('  and 2 more\n');
  expect(tell(many.slice(0, 10))).not.toMatch(/most failures|more/);
});
