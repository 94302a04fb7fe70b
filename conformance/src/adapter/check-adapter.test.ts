import { expect, test } from 'vitest';
import { fakeAdapter } from '../../test/helpers.ts';
import type { CaseResult } from '../report/results.ts';
import { dialCommand } from './carriers.ts';
import { ADAPTER_CHECKS, checkAdapter } from './check-adapter.ts';
import { createSession } from './session.ts';

const check = async (mode: string, ...capabilities: string[]): Promise<CaseResult[]> => {
  const session = createSession(dialCommand(fakeAdapter(mode, ...capabilities)), { timeoutMs: 1_500 });
  const results: CaseResult[] = [];
  try {
    await checkAdapter(session, await session.hello(), (result) => results.push(result));
  } finally {
    await session.close();
  }
  return results;
};
const bad = (results: readonly CaseResult[]) =>
  results.filter(({ outcome }) => outcome === 'fail' || outcome === 'crash').map(({ id }) => id);

test('finds nothing wrong with a good adapter', async () => {
  const results = await check('good');
  expect(results).toHaveLength(ADAPTER_CHECKS);
  expect(bad(results)).toEqual([]);
});

test('skips checks of capabilities that are not claimed; those of extras are inapplicable', async () => {
  const outcomes = new Map((await check('good')).map(({ id, outcome }) => [id, outcome]));
  expect(outcomes.get('adapter-client-errors')).toBe('skip');
  expect(outcomes.get('adapter-bucket')).toBe('inapplicable');
});

test.each([
  ['ignores-tags', 'adapter-tags'],
  ['loses-context', 'adapter-load-evaluate'],
  ['keeps-old-flags', 'adapter-load-replaces'],
  ['reverses-batches', 'adapter-batch'],
  ['refuses-unknown', 'adapter-unknown-command'],
  ['no-bucketing', 'adapter-bucketing'],
  ['wrong-answer', 'adapter-result-fields'],
  ['splits-lines', 'adapter-texts'],
  ['two-kinds', 'adapter-load-evaluate'],
  ['talks', 'adapter-load-evaluate'],
  ['mixes-up', 'adapter-many'],
])('detects an adapter that %s', async (mode, id) => {
  expect(bad(await check(mode))).toContain(id);
});

test('finds nothing wrong with a good clock', async () => {
  const results = await check('good', 'polling', 'clock');
  expect(results.filter(({ id }) => id.startsWith('adapter-clock')).map(({ outcome }) => outcome)).toEqual(
    Array(4).fill('pass'),
  );
});

test.each([
  ['clock-runs-by-itself', 'adapter-clock-stands'],
  ['clock-runs-past', 'adapter-clock-stops'],
  ['clock-forgets-pending', 'adapter-clock-stops'],
  ['clock-jump-moves-durations', 'adapter-clock-jump'],
])('detects that a %s', async (mode, id) => {
  expect(
    bad(await check(mode, 'polling', 'clock')).filter((name) => name.startsWith('adapter-clock')),
  ).toContain(id);
});
