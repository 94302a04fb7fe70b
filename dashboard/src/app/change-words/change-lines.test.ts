import { expect, test } from 'vitest';
import type { AuditEntry } from '../../api/types.ts';
import { changeLines } from './change-lines.ts';

const lines = (changes: object, action = 'flag.updated') =>
  changeLines({ changes, action } as AuditEntry, (id) => (id === 'usr_1' ? 'Mara' : undefined)).map(
    ({ what, from, to }) => [what, from, to],
  );

test('rules are sentences', () => {
  const conditions = [{ attribute: 'country', operator: 'is', value: 'BE' }];
  const split = [
    { variation: 'on', percentage: 25 },
    { variation: 'off', percentage: 75 },
  ];
  const from = [{ id: 'rule_1', name: '', conditions: [], percentage_rollout: split }];
  const to = [{ id: 'rule_1', name: 'Belgium', conditions, variation: 'on' }];
  expect(lines({ targeting_rules: { from, to } })).toEqual([
    ['Targeting rules', 'everyone gets 25 % on, 75 % off', 'Belgium: if country is BE, serve on'],
  ]);
});

test('people, needed flags, variations and errors are named', () => {
  const variations = [
    { key: 'on', value: true },
    { key: 'off', value: false },
  ];
  const error = { code: 'FREEZE_WINDOW_ACTIVE', message: 'Production is frozen.' };
  expect(
    lines({
      owner_id: { from: 'usr_1', to: 'usr_2' },
      prerequisites: { from: [], to: [{ flag_key: 'checkout', variation: 'on' }] },
      variations: { from: null, to: variations },
      error: { from: null, to: error },
      scope: { from: null, to: { kind: 'project', ids: ['a', 'b'] } },
    }),
  ).toEqual([
    ['Owner id', 'Mara', 'usr_2'],
    ['Prerequisites', 'empty', 'checkout serves on'],
    ['Variations', undefined, 'on: true, off: false'],
    ['Error', undefined, 'Production is frozen.'],
    ['Scope', undefined, 'Kind: project, Ids: a, b'],
  ]);
});

test('what a new thing was made without is left out', () => {
  expect(lines({ key: { from: null, to: 'a' }, tags: { from: null, to: [] } }, 'flag.created')).toEqual([
    ['Key', undefined, 'a'],
  ]);
});

test('a change of variations shows those that changed, with name, key and value', () => {
  const kept = { key: 'red', name: 'Red', value: 'red' };
  const from = [{ key: 'first', name: 'First', value: 'first' }, kept];
  const to = [{ key: 'first', name: 'Blue', value: 'blue' }, kept];
  expect(lines({ variations: { from, to } })).toEqual([
    ['Variations', 'First (first): "first"', 'Blue (first): "blue"'],
  ]);
  expect(lines({ variations: { from: [kept], to: [kept, to[0]] } })).toEqual([
    ['Variations', undefined, 'Blue (first): "blue"'],
  ]);
});
