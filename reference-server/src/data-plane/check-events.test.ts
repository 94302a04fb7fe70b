import { expect, test } from 'vitest';
import { COUNTERS_MAX, checkEvents } from './check-events.ts';

const NOW = Date.parse('2026-11-20T10:00:00.000Z');
const at = (offsetMs: number): string => new Date(NOW + offsetMs).toISOString();
const HOUR = 3_600_000;

const outcome = { flag_key: 'f', variation_key: 'on', reason: 'DEFAULT', rule_id: null, ruleset_version: 1 };
const exposure = { type: 'exposure', id: 'x', timestamp: at(0), user_key: 'u', ...outcome };
const track = { type: 'track', id: 't', timestamp: at(0), user_key: 'u', event_name: 'buy' };
const summary = { type: 'summary', start: at(-HOUR), end: at(0), counters: [{ ...outcome, count: 1 }] };

function faultOf(event: unknown): string | undefined {
  const { rejected } = checkEvents([event], NOW);
  return rejected[0] && `${rejected[0].code}: ${rejected[0].message}`;
}

test('takes sound items of every type, with fields it does not know', () => {
  const events = [
    summary,
    exposure,
    { ...exposure, variation_key: null, ruleset_version: null, future: 1 },
    { ...exposure, user_key_hashed: true, experiment_key: 'cta-test' },
    track,
    { ...track, user_key_hashed: false, value: -1.5, properties: { list: [1, { a: 'b' }] } },
    { type: 'diagnostic', dropped_events: 0 },
  ];
  expect(checkEvents(events, NOW)).toEqual({ taken: events, rejected: [] });
});

test('takes timestamps from 72 hours ago to 10 minutes ahead', () => {
  expect(faultOf({ ...exposure, timestamp: at(-72 * HOUR) })).toBeUndefined();
  expect(faultOf({ ...exposure, timestamp: at(10 * 60_000) })).toBeUndefined();
  expect(faultOf({ ...exposure, timestamp: at(-72 * HOUR - 1) })).toMatch(/^TIMESTAMP_OUT_OF_RANGE/);
  expect(faultOf({ ...track, timestamp: at(10 * 60_000 + 1) })).toMatch(/^TIMESTAMP_OUT_OF_RANGE/);
  expect(faultOf({ ...summary, start: at(-80 * HOUR) })).toMatch(/^TIMESTAMP_OUT_OF_RANGE/);
});

test.each([
  [null, 'is not an object'],
  [[], 'is not an object'],
  [{ ...exposure, id: '' }, 'id'],
  [{ ...exposure, user_key: 7 }, 'user_key'],
  [{ ...exposure, user_key_hashed: 'false' }, 'user_key_hashed'],
  [{ ...track, user_key_hashed: 1 }, 'user_key_hashed'],
  [{ ...exposure, experiment_key: 7 }, 'experiment_key'],
  [{ ...exposure, timestamp: 'yesterday' }, 'timestamp'],
  [{ ...exposure, flag_key: undefined }, 'flag_key'],
  [{ ...exposure, reason: 'BECAUSE' }, 'reason'],
  [{ ...exposure, rule_id: 3 }, 'rule_id'],
  [{ ...exposure, ruleset_version: 1.5 }, 'ruleset_version'],
  [{ ...summary, end: at(-2 * HOUR) }, 'end is before start'],
  [{ ...summary, counters: {} }, 'counters'],
  [{ ...summary, counters: [null] }, 'counter'],
  [{ ...summary, counters: [{ ...outcome, count: -1 }] }, 'count'],
  [{ ...summary, counters: [{ ...outcome, count: 2 ** 60 }] }, 'count'],
  [{ ...track, event_name: 'x'.repeat(1_025) }, 'event_name'],
  [{ ...track, value: Number.NaN }, 'value'],
  [{ ...track, properties: [] }, 'properties'],
  [{ type: 'diagnostic' }, 'dropped_events'],
])('rejects %j', (event, what) => {
  expect(faultOf(event)).toMatch(new RegExp(`^VALIDATION_ERROR: .*${what}`));
});

test('rejects a type that it does not know', () => {
  expect(faultOf({ type: 'poem' })).toMatch(/^UNKNOWN_TYPE/);
  expect(faultOf({})).toMatch(/^UNKNOWN_TYPE/);
});

test('rejects properties that are too large or too deep to be written', () => {
  expect(faultOf({ ...track, properties: { text: 'x'.repeat(5_000) } })).toMatch(/^LIMIT_EXCEEDED/);
  const deep = JSON.parse(`${'{"a":'.repeat(100_000)}1${'}'.repeat(100_000)}`) as unknown;
  expect(faultOf({ ...track, properties: deep })).toMatch(/^LIMIT_EXCEEDED/);
});

test('counts the counters of a batch together', () => {
  const half = { ...summary, counters: Array(COUNTERS_MAX / 2).fill({ ...outcome, count: 1 }) };
  const { taken, rejected } = checkEvents([half, half, summary, exposure], NOW);
  expect(taken).toEqual([half, half, exposure]);
  expect(rejected).toMatchObject([{ index: 2, code: 'LIMIT_EXCEEDED' }]);
});
