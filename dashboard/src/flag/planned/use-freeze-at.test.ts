import { expect, test } from 'vitest';
import { covers, type FreezeAhead, spanAt } from './use-freeze-at.ts';

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

test('windows that follow each other without a gap end when the last one does', () => {
  const days = (name: string, from: number, to: number | null) => ({
    name,
    starts_at: `2026-12-0${from}T00:00:00Z`,
    ends_at: to === null ? null : `2026-12-0${to}T00:00:00Z`,
  });
  const windows = [days('Weekends', 5, 7), days('Peak week', 1, 6), days('Audit', 8, 9)];
  const at = (day: number) => spanAt(windows, `2026-12-0${day}T00:00:00Z`);
  expect(at(2)).toEqual({ names: ['Peak week', 'Weekends'], ends_at: '2026-12-07T00:00:00.000Z' });
  expect(at(7)).toBeUndefined();
  expect(at(8)?.names).toEqual(['Audit']);
  expect(spanAt([...windows, days('Incident', 6, null)], '2026-12-02T00:00:00Z')?.ends_at).toBeNull();
});
