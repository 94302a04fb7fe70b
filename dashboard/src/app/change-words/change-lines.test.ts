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
    ['Rules', 'everyone gets 25% on, 75% off', 'Belgium: if country is BE, serve on'],
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
    ['Owner', 'Mara', 'usr_2'],
    ['Needs first', undefined, 'checkout serves on'],
    ['Variations', undefined, 'on: true, off: false'],
    ['Error', undefined, 'Production is frozen.'],
    ['Scope', undefined, 'Kind: project, Ids: a, b'],
  ]);
});

test('a use of broken glass is named, with moments that people read', () => {
  const used = { action: 'flag.toggled', resource: { type: 'flag', id: 'flg_1', key: 'read-only' } };
  const message = 'Frozen until 2026-12-05T15:44:02.336Z.';
  expect(lines({ used_for: { from: null, to: used }, error: { from: null, to: { message } } })).toEqual([
    ['Used for', undefined, 'Flag switched read-only'],
    ['Error', undefined, expect.stringMatching(/^Frozen until (?!2026).+:44( PM)?\.$/)],
  ]);
});

test('what was empty is not struck through, and nothing becomes nothing in one word', () => {
  expect(lines({ description: { from: '', to: 'New' }, tags: { from: ['a'], to: [] } })).toEqual([
    ['Description', undefined, 'New'],
    ['Tags', 'a', undefined],
  ]);
  expect(lines({ name: { from: '', to: null } })).toEqual([['Name', undefined, 'empty']]);
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
