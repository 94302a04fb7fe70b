import { describe, expect, test } from 'vitest';
import type { Environment, FreezeWindow } from '../api/types.ts';
import { bodyOf, changedLines, draftFault, draftOf, draftSentence, emptyDraft } from './window-draft.ts';

const NOW = Date.parse('2026-11-23T12:00:00Z');
const environments = [
  { id: 'env_1', name: 'Staging', type: 'staging', project_id: 'prj_1' },
  { id: 'env_2', name: 'Production', type: 'production', project_id: 'prj_1' },
] as unknown as readonly Environment[];
const empty = emptyDraft(environments, 'UTC');
const peak = { ...empty, name: ' Peak week ', endsAt: '2026-12-01T08:00:00.000Z' };

/** The window that the server makes from a body. */
const windowOf = (draft: typeof empty): FreezeWindow =>
  ({ starts_at: new Date(NOW).toISOString(), ...bodyOf(draft, NOW) }) as unknown as FreezeWindow;

test('a new window freezes production from now and allows what makes it safer', () => {
  expect(bodyOf(peak, NOW)).toEqual({
    name: 'Peak week',
    reason: '',
    scope: { project_ids: [], environment_ids: ['env_2'], environment_types: [], tags: [] },
    ends_at: '2026-12-01T08:00:00.000Z',
    recurrence: null,
    allow: ['disable', 'rollout_decrease'],
    notify_before_minutes: 0,
  });
});

describe('says what is missing', () => {
  test.each([
    [empty, 'Give it a name first.'],
    [{ ...peak, environmentIds: [] }, 'Choose at least one environment.'],
    [{ ...peak, endsAt: undefined }, 'Say when it ends.'],
    [{ ...peak, endsAt: undefined, isOpenEnd: true, repeat: 'daily' as const }, 'Say when it ends.'],
    [{ ...peak, endsAt: '2026-11-23T11:59:00Z' }, 'It must end after it starts.'],
    [{ ...peak, startsAt: '2026-12-01T08:00:00.000Z' }, 'It must end after it starts.'],
    [{ ...peak, endsAt: undefined, isOpenEnd: true }, undefined],
    [peak, undefined],
  ])('%#', (draft, fault) => {
    expect(draftFault(draft, NOW)).toBe(fault);
  });
});

test('a repeated window lasts as long as its first occurrence, and has no end of its own', () => {
  const weekend = {
    ...peak,
    startsAt: '2026-11-27T17:00:00.000Z',
    endsAt: '2026-11-29T22:59:00.000Z',
    repeat: 'weekly' as const,
    zone: 'Europe/Amsterdam',
  };
  expect(bodyOf(weekend, NOW)).toMatchObject({
    ends_at: null,
    recurrence: { rule: 'FREQ=WEEKLY', timezone: 'Europe/Amsterdam', duration_minutes: 3_239, until: null },
  });
  expect(draftOf(windowOf(weekend), environments, 'UTC')).toMatchObject({ ...weekend, name: 'Peak week' });
});

test('an edit keeps a rule and a scope that the form cannot write', () => {
  const window = {
    ...windowOf(peak),
    scope: { project_ids: ['prj_2'], environment_ids: [], environment_types: ['staging'], tags: ['ops'] },
    recurrence: { rule: 'FREQ=DAILY;INTERVAL=3;COUNT=5', timezone: 'UTC', duration_minutes: 60, until: null },
    ends_at: null,
  } as unknown as FreezeWindow;
  const draft = draftOf(window, environments, 'UTC');
  expect(draft).toMatchObject({ reach: 'kept', repeat: 'kept' });
  expect(bodyOf({ ...draft, name: 'Renamed' }, NOW, window)).toMatchObject({
    scope: window.scope,
    recurrence: window.recurrence,
  });
});

test('an environment of another project is kept, not lost', () => {
  const window = windowOf({ ...peak, environmentIds: ['env_2', 'env_elsewhere'] });
  const draft = draftOf(window, environments, 'UTC');
  expect(draft.reach).toBe('kept');
  expect(bodyOf(draft, NOW, window).scope).toEqual(window.scope);
});

test('the diff names only what differs, in words', () => {
  const before = bodyOf({ ...peak, startsAt: '2026-11-23T12:00:00.000Z' }, NOW);
  const after = { ...before, allow: [], ends_at: null };
  expect(changedLines(before, before, environments)).toEqual([]);
  expect(changedLines(before, after, environments).map(({ what, from, to }) => [what, from, to])).toEqual([
    ['To', expect.stringMatching(/1 Dec|Dec 1/), 'until somebody ends it'],
    ['Still works', 'Switch off and lower a rollout', 'Only turning off kill switches'],
  ]);
});

test('the sentence says what is frozen and when', () => {
  const words = draftSentence(peak, { environments, window: undefined });
  expect(words).toMatch(/^Production: now to .*(1 Dec|Dec 1).*\.$/);
  const all = draftSentence({ ...peak, reach: 'all', isOpenEnd: true }, { environments, window: undefined });
  expect(all).toBe('Everything: now, until somebody ends it.');
  const unfinished = draftSentence({ ...peak, endsAt: undefined }, { environments, window: undefined });
  expect(unfinished).toBe('Production: now to ….');
});
