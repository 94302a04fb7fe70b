import { expect, test } from 'vitest';
import { type Attention, countNeeds } from './attention.ts';
import { changeWords } from './change-words.ts';
import { needsOf } from './needs.ts';
import { stepsDone } from './path/use-path.ts';

const NOW = Date.parse('2026-11-24T12:00:00.000Z');
const quiet: Attention = {
  stale_flags: { mine: 0, all: 0 },
  changed_flags: 0,
  break_glass_reviews: null,
  failing_webhooks: null,
  expiring_keys: null,
  active_freezes: [],
  next_freeze: null,
  stopped_changes: { total: 0, first: [] },
  failed_changes: { total: 0, first: [] },
};
const nothing = { webhooks: [], reviews: [], stale: [] };
const at = { now: NOW, environmentName: () => 'Production', memberName: () => undefined };
const planned = {
  id: 'sch_1',
  flag_id: 'flg_1',
  flag_key: 'checkout',
  flag_name: 'Checkout',
  environment_id: 'env_1',
  execute_at: '2026-11-26T09:00:00.000Z',
};

test('nothing needs a person who may see nothing and has nothing', () => {
  expect(needsOf(quiet, nothing, at)).toEqual([]);
  expect(countNeeds(quiet)).toBe(0);
});

test('counts without names still say what is wrong and where to go', () => {
  const attention = {
    ...quiet,
    failing_webhooks: 2,
    break_glass_reviews: 1,
    expiring_keys: 3,
    stale_flags: { mine: 1, all: 4 },
  };
  const needs = needsOf(attention, nothing, at);
  expect(needs.map(({ title, path }) => [title, path])).toEqual([
    ['2 webhooks are failing', 'webhooks'],
    ['1 session waits for a review', 'freezes'],
    ['3 API keys expire within 14 days', 'settings/api-keys'],
    ['1 flag of yours is stale', 'flags'],
  ]);
  expect(countNeeds(attention)).toBe(5);
});

test('a planned change that a freeze stops waits or fails, and one that failed says why', () => {
  const stop = (on_freeze: string, freeze_ends_at: string | null) => ({
    ...planned,
    on_freeze,
    freeze_window_id: 'frz_1',
    freeze_ends_at,
  });
  const message = 'The freeze "Peak" blocks this change until 2026-11-30T18:24:38.731Z.';
  const failed = { ...planned, status: 'failed' as const, message };
  const texts = needsOf(
    {
      ...quiet,
      stopped_changes: { total: 2, first: [stop('defer', null), stop('fail', '2026-12-01T00:00:00.000Z')] },
      failed_changes: {
        total: 2,
        first: [failed, { ...failed, status: 'conflicted' as const, message: null }],
      },
    },
    nothing,
    at,
  ).map(({ text }) => text);
  expect(texts[0]).toMatch(/blocks this change until \w{3}, (30 Nov|Nov 30|1 Dec|Dec 1)/);
  expect(texts[1]).toContain('Somebody changed the flag in between.');
  expect(texts[2]).toContain('It waits until the freeze ends.');
  expect(texts[3]).toContain('It will fail.');
});

test.each([
  ['flag.toggled', { enabled: { from: false, to: true } }, 'switched', 'on', undefined],
  ['flag.created', {}, 'made', '', undefined],
  ['flag.updated', { description: { from: '', to: 'x' } }, 'changed', '', 'description'],
  [
    'flag.updated',
    { prerequisites: { from: [], to: [{ flag_key: 'cart', variation: 'on' }] } },
    'gave',
    'a need',
    'cart must serve on',
  ],
  [
    'flag.updated',
    {
      targeting_rules: {
        from: [],
        to: [
          { id: 'r', conditions: [{ attribute: 'country', operator: 'is', value: 'BE' }], variation: 'on' },
        ],
      },
    },
    'gave',
    'a rule',
    'If country is BE, serve on',
  ],
  ['flag.updated', { targeting_rules: { from: null, to: 'broken' } }, 'changed', '', '0 rules'],
])('%s of %j is "%s … %s"', (action, changes, before, after, detail) => {
  expect(changeWords({ action, changes: changes as never })).toMatchObject({ before, after, detail });
});

test('a share that moved is shown as old and new', () => {
  const rule = (percentage: number) => [
    { id: 'r', conditions: [], percentage_rollout: [{ variation: 'on', percentage }] },
  ];
  const changes = { targeting_rules: { from: rule(25), to: rule(50) } };
  const { shares } = changeWords({ action: 'flag.updated', changes: changes as never });
  expect(shares).toEqual({ from: 25, to: 50, variation: 'on' });
});

test('each step of the way knows from the API that it is done', () => {
  const facts = { environment: {} as never, flags: [], keys: [], sdks: [], switchedAt: undefined };
  const key = { last_used_at: null } as never;
  const sdk = { first_seen_at: '2026-11-24T10:00:00.000Z' } as never;
  const done = (more: object) => stepsDone({ ...facts, ...more }).filter(Boolean).length;
  expect(done({})).toBe(1);
  expect(done({ flags: [{}] })).toBe(2);
  expect(done({ flags: [{}], keys: [key] })).toBe(3);
  expect(done({ flags: [{}], keys: [key], switchedAt: '2026-11-24T09:00:00.000Z' })).toBe(3);
  expect(done({ flags: [{}], keys: [key], sdks: [sdk] })).toBe(4);
  expect(done({ flags: [{}], keys: [key], sdks: [sdk], switchedAt: '2026-11-24T09:00:00.000Z' })).toBe(4);
  expect(done({ flags: [{}], keys: [key], sdks: [sdk], switchedAt: '2026-11-24T11:00:00.000Z' })).toBe(5);
});
