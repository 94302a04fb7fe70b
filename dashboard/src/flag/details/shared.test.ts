import { expect, test } from 'vitest';
import type { Flag } from '../../api/types.ts';
import {
  editVariation,
  mergeShared,
  type Shared,
  sharedDifferences,
  sharedOf,
  takeShared,
} from './shared.ts';
import { sharedFault } from './shared-fault.ts';
import { sharedInstructions } from './shared-instructions.ts';
import { sharedLine } from './shared-lines.ts';

const flag = {
  name: 'Checkout',
  description: '',
  owner_id: 'usr_1',
  tags: ['a', 'b'],
  classification: 'release',
  permanent: false,
  expected_end_at: null,
  stale_after_days: null,
  client_side: false,
  track_exposures: false,
  variations: [
    { key: 'on', name: 'On', value: 'x' },
    { key: 'off', name: 'Off', description: 'The old page', value: 'y' },
  ],
} as unknown as Flag;
const saved = sharedOf(flag);
const added = { id: 'new-1', key: 'third', name: 'Third', description: '', value: 'z' };
const edited: Shared = {
  ...editVariation(saved, 'on', { value: 'w', description: 'The new page' }),
  name: 'Checkout, again',
  owner_id: null,
  tags: ['b', 'c'],
  permanent: true,
};
const ids = (from: Shared, to: Shared) => sharedDifferences(from, to).map(({ id }) => id);

test('every part that differs is a difference of its own', () => {
  expect(ids(saved, saved)).toEqual([]);
  expect(ids(saved, edited)).toEqual([
    'field:name',
    'field:owner_id',
    'field:tags',
    'field:permanent',
    'description:on',
    'value:on',
  ]);
  const other = { ...saved, variations: [saved.variations[1]!, added] };
  expect(ids(saved, other)).toEqual(['variation:new-1', 'variation:on']);
});

test('each difference can be undone alone, and all of them lead back', () => {
  const all = { ...edited, variations: [edited.variations[0]!, added] };
  let left: Shared = all;
  for (const id of ids(saved, all)) {
    left = takeShared(saved, left, id);
    expect(ids(saved, left)).not.toContain(id);
  }
  expect(left).toEqual({ ...saved, variations: saved.variations });
});

test('a value that cannot be read yet is a difference, and its undo takes the text away', () => {
  const typing = editVariation(saved, 'on', { text: '{' });
  expect(ids(saved, typing)).toEqual(['value:on']);
  expect(sharedFault(typing)).toBe('The value of on is not valid.');
  expect(sharedFault(takeShared(saved, typing, 'value:on'))).toBeUndefined();
});

test('the instructions save fields and new variations before the rules, and removals after them', () => {
  const { before, after } = sharedInstructions(saved, {
    ...edited,
    variations: [edited.variations[0]!, added],
  });
  expect(before).toEqual([
    { op: 'set_name', name: 'Checkout, again' },
    { op: 'set_owner', owner_id: null },
    { op: 'remove_tag', tag: 'a' },
    { op: 'add_tag', tag: 'c' },
    { op: 'set_permanent', permanent: true },
    { op: 'add_variation', new_variation: { key: 'third', name: 'Third', value: 'z' } },
    { op: 'update_variation', variation: 'on', description: 'The new page', value: 'w' },
  ]);
  expect(after).toEqual([{ op: 'remove_variation', variation: 'off' }]);
});

test('two edits are joined, and where both changed the same, the choice decides', () => {
  const theirs = { ...saved, name: 'Theirs', description: 'From them' };
  const versions = { base: saved, saved: theirs, mine: edited };
  expect(mergeShared(versions, new Set())).toMatchObject({
    name: 'Checkout, again',
    description: 'From them',
  });
  expect(mergeShared(versions, new Set(['field:name'])).name).toBe('Theirs');
});

test('what is missing is said before the save', () => {
  expect(sharedFault(saved)).toBeUndefined();
  expect(sharedFault({ ...saved, name: ' ' })).toBe('The flag needs a name.');
  const twice = { ...saved, variations: [...saved.variations, { ...added, key: 'on' }] };
  expect(sharedFault(twice)).toBe('Two variations have the key on.');
  expect(sharedFault({ ...saved, variations: [{ ...added, key: '' }] })).toBe('A variation needs a key.');
});

test('differences are shown in words', () => {
  const lines = sharedDifferences(saved, edited).map((one) => sharedLine(one, () => 'Jonas Weber'));
  expect(lines.map(({ what, from, to }) => `${what}: ${from} → ${to}`)).toEqual([
    'Name: Checkout → Checkout, again',
    'Owner: Jonas Weber → Nobody',
    'Tags: a, b → b, c',
    'Stays for good: no → yes',
    'Variation on, description: nothing → The new page',
    'Variation on, value: "x" → "w"',
  ]);
});
