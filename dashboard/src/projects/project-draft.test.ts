import { expect, test } from 'vitest';
import { bodyOfProject, changedFields, type ProjectFields } from './project-draft.ts';

const saved = { name: 'Storefront', description: '', rolled_out_days: 14 } as ProjectFields;

test('a field that was changed back is no change', () => {
  expect(changedFields(saved, { name: 'Storefront', rolled_out_days: 7 })).toEqual({ rolled_out_days: 7 });
});

test('the body has the changed fields only, each at its place', () => {
  expect(
    bodyOfProject({
      name: ' Shop ',
      flag_key_pattern: null,
      rolled_out_days: 7,
      auto_archive_after_days: null,
    }),
  ).toEqual({
    name: 'Shop',
    settings: { flag_key_pattern: null, stale_policy: { rolled_out_days: 7, auto_archive_after_days: null } },
  });
  expect(bodyOfProject({ description: '' })).toEqual({ description: '' });
});
