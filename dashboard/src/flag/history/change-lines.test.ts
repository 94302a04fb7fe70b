import { expect, test } from 'vitest';
import type { Flag } from '../../api/types.ts';
import type { Names } from '../rules/rule-sentence.tsx';
import { changeLines } from './change-lines.tsx';

const names: Names = { variation: (key) => key, series: () => 1, segment: (key) => key };
const blue = { key: 'first', name: 'Blue', value: 'blue' };
const red = { key: 'red', name: 'Red', value: 'red' };
const flag = { targeting_rules: [], default_variation: 'first', variations: [blue, red] } as unknown as Flag;

test('a change of variations is shown part by part', () => {
  const changes = { variations: { from: [{ ...blue, name: 'First', value: 'first' }], to: [blue, red] } };
  const lines = changeLines(changes, flag, names).map(({ what, from, to }) => [what, from, to]);
  expect(lines).toEqual([
    ['Variation first, name', 'First', 'Blue'],
    ['Variation first, value', '"first"', '"blue"'],
    ['Variation “Red” added', undefined, '"red"'],
  ]);
});

test('the variations of a flag that is restored to nothing are all removed', () => {
  const lines = changeLines({ variations: { from: [red], to: null } }, flag, names);
  expect(lines.map(({ what, from }) => [what, from])).toEqual([['Variation “Red” removed', '"red"']]);
});
