import { expect, test } from 'vitest';
import { covers, type FreezeAhead } from './use-freeze-at.ts';

const place = {
  environment: { id: 'env_1', project_id: 'prj_1', type: 'production' },
  flag: { tags: ['checkout'] },
} as unknown as Parameters<typeof covers>[1];
const scope = (change: Partial<FreezeAhead['scope']>) => ({
  scope: { project_ids: [], environment_ids: [], environment_types: [], tags: [], ...change },
});

test('a window without limits covers everything', () => {
  expect(covers(scope({}), place)).toBe(true);
});

test.each<[Partial<FreezeAhead['scope']>, boolean]>([
  [{ environment_ids: ['env_1'] }, true],
  [{ environment_ids: ['env_2'] }, false],
  [{ project_ids: ['prj_2'] }, false],
  [{ environment_types: ['staging'] }, false],
  [{ environment_types: ['production'], tags: ['cart', 'checkout'] }, true],
  [{ environment_ids: ['env_1'], tags: ['cart'] }, false],
])('a window limited to %o covers the flag: %s', (limits, isCovered) => {
  expect(covers(scope(limits), place)).toBe(isCovered);
});
