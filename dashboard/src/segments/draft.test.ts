import { expect, test } from 'vitest';
import type { Segment } from '../api/types.ts';
import { conflictsOf, draftWith, editWith } from './draft.ts';

const segment = (part: Partial<Segment>): Segment => ({
  id: 'seg_1',
  project_id: 'prj_1',
  key: 'beta',
  name: 'Beta',
  description: '',
  conditions: [],
  included: ['a', 'b', 'c'],
  excluded: [],
  tags: [],
  usage_count: 0,
  revision: 1,
  created_at: '2026-11-20T10:00:00.000Z',
  updated_at: '2026-11-20T10:00:00.000Z',
  ...part,
});

test('what somebody else changed elsewhere is not put back by a save', () => {
  const draft = draftWith(segment({}), undefined, { name: 'Mine' });
  const later = segment({ description: 'theirs', revision: 2 });
  expect(editWith(later, draft)).toMatchObject({ name: 'Mine', description: 'theirs' });
  expect(conflictsOf(later, draft)).toEqual([]);
});

test('keys that two people add and remove are all added and removed', () => {
  const draft = draftWith(segment({}), undefined, { included: ['a', 'b', 'mine'] });
  const later = segment({ included: ['b', 'c', 'theirs'], revision: 2 });
  expect(editWith(later, draft).included).toEqual(['b', 'theirs', 'mine']);
  expect(conflictsOf(later, draft)).toEqual([]);
  const next = draftWith(later, draft, { excluded: ['x'] });
  expect(editWith(later, next)).toMatchObject({ included: ['b', 'theirs', 'mine'], excluded: ['x'] });
});

test('a field that both changed is a conflict until the person decides', () => {
  const draft = draftWith(segment({}), undefined, { name: 'Mine', tags: ['one'] });
  const later = segment({ name: 'Theirs', revision: 2 });
  expect(conflictsOf(later, draft)).toEqual(['name']);
  // Another edit decides nothing.
  expect(conflictsOf(later, draftWith(later, draft, { description: 'more' }))).toEqual(['name']);
  const mine = draftWith(later, draft, { name: 'Mine' });
  expect([conflictsOf(later, mine), editWith(later, mine).name]).toEqual([[], 'Mine']);
  const theirs = draftWith(later, draft, { name: 'Theirs' });
  expect([conflictsOf(later, theirs), editWith(later, theirs)]).toMatchObject([
    [],
    { name: 'Theirs', tags: ['one'] },
  ]);
});

test('an edit that ends where it began is no draft', () => {
  const draft = draftWith(segment({}), undefined, { name: 'Other' });
  expect(draftWith(segment({}), draft, { name: 'Beta' })).toBeUndefined();
});
