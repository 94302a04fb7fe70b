import { expect, test } from 'vitest';
import { listCaseChanges, readDatedCases, toChangelog } from './case-changes.ts';
import { suiteDirectory } from './suite.ts';

const cases = [
  { id: 'state-0001', group: 'vectors/state' },
  { id: 'state-0002', group: 'vectors/state', until: '0.10.0' },
  { id: 'state-0003', group: 'vectors/state', since: '0.10.0' },
  { id: 'POLL-01', group: 'sdk/POLL', since: '0.9.0' },
];

test('lists the versions that changed cases, newest first', () => {
  const changes = listCaseChanges(cases);
  expect(changes.map(({ version }) => version)).toEqual(['0.10.0', '0.9.0', '0.1.0']);
  expect(changes[0]).toMatchObject({ added: [{ id: 'state-0003' }], removed: [{ id: 'state-0002' }] });
});

test('names changed cases, and counts those of the first version', () => {
  const text = toChangelog(listCaseChanges(cases));
  expect(text).toContain(
    '## 0.10.0\n\nAdded:\n\n- `vectors/state`: state-0003\n\nRemoved:\n\n- `vectors/state`: state-0002',
  );
  expect(text).toContain('| `vectors/state` | 2 |\n| all | 2 |');
});

test('reads every case of the suite', () => {
  const read = readDatedCases(suiteDirectory());
  const groups = Map.groupBy(read, ({ group }) => group);
  expect(groups.get('vectors/bucket.csv')).toHaveLength(10_000);
  expect(groups.get('sdk/POLL')!.length).toBeGreaterThan(10);
  expect(new Set(read.map(({ id }) => id)).size).toBe(read.length);
});
