import { readFileSync } from 'node:fs';
import { Ajv2020 } from 'ajv/dist/2020.js';
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

test('accepts valid events of every type, with unknown fields', () => {
  const events = [
    summary,
    exposure,
    { ...exposure, variation_key: null, ruleset_version: null, future: 1 },
    { ...exposure, user_key_hashed: true, experiment_key: 'cta-test' },
    track,
    { ...track, user_key_hashed: false, value: -1.5, properties: { list: [1, { a: 'b' }] } },
    { type: 'diagnostic', dropped_events: 0 },
    { type: 'diagnostic', dropped_events: 3, cause: 'spool_full' },
  ];
  expect(checkEvents(events, NOW)).toEqual({ valid: events, rejected: [] });
});

const schema = new URL('../../../../conformance/schema/event-batch.schema.json', import.meta.url);
const isDescribed = new Ajv2020({ allowUnionTypes: true, strictRequired: false }).compile<unknown>(
  JSON.parse(readFileSync(schema, 'utf8')),
);
const batchOf = (event: unknown) => ({
  batch_id: 'b',
  sent_at: at(0),
  sdk: { name: 'a', version: '1' },
  events: [event],
});
const counted = (fields: object) => ({ ...summary, counters: [{ ...outcome, count: 1, ...fields }] });

test.each([
  ['a summary', summary, true],
  ['an exposure', exposure, true],
  ['a hashed exposure', { ...exposure, user_key_hashed: true, experiment_key: 'cta-test' }, true],
  ['a track event', { ...track, value: -1.5, properties: { list: [1] } }, true],
  ['a diagnostic', { type: 'diagnostic', dropped_events: 0 }, true],
  ['the longest key', counted({ flag_key: 'k'.repeat(1_024) }), true],
  ['a key that is too long', counted({ flag_key: 'k'.repeat(1_025) }), false],
  ['an empty key', counted({ flag_key: '' }), false],
  ['the highest count', counted({ count: 1_000_000_000 }), true],
  ['a count that is too high', counted({ count: 1_000_000_001 }), false],
  ['another reason', counted({ reason: 'MOOD' }), false],
  ['a version that is not a number', counted({ ruleset_version: '1' }), false],
  ['an exposure without a user', { ...exposure, user_key: '' }, false],
  [
    'an exposure of a unit',
    { ...exposure, user_key: undefined, unit: { by: 'company_id', key: 'c1' } },
    true,
  ],
  ['an exposure with a user and a unit', { ...exposure, unit: { by: 'company_id', key: 'c1' } }, true],
  ['an exposure of a unit without a key', { ...exposure, unit: { by: 'company_id' } }, false],
  ['an exposure of an empty unit', { ...exposure, unit: { by: 'company_id', key: '' } }, false],
  ['an exposure of nobody', { ...exposure, user_key: undefined }, false],
  ['a track event of units', { ...track, user_key: undefined, units: { company_id: 'c1', team: 't' } }, true],
  ['a track event of nobody', { ...track, user_key: undefined }, false],
  ['a track event without units', { ...track, units: {} }, false],
  ['a unit that is a number', { ...track, units: { company_id: 7 } }, false],
  ['a list of units', { ...track, units: ['c1'] }, false],
  [
    'too many units',
    { ...track, units: Object.fromEntries(Array.from({ length: 101 }, (_, n) => [`u${n}`, 'x'])) },
    false,
  ],
  ['a track event without a name', { ...track, event_name: undefined }, false],
  ['an unknown type', { ...track, type: 'mood' }, false],
])('agrees with the schema of a batch about %s', (_what, event, isValid) => {
  expect(isDescribed(JSON.parse(JSON.stringify(batchOf(event))))).toBe(isValid);
  expect(faultOf(event) === undefined).toBe(isValid);
});

test('accepts timestamps from 72 hours ago to 10 minutes ahead', () => {
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
  [{ type: 'diagnostic', dropped_events: 1, cause: 7 }, 'cause'],
])('rejects %j', (event, what) => {
  expect(faultOf(event)).toMatch(new RegExp(`^VALIDATION_ERROR: .*${what}`));
});

test('rejects unknown types', () => {
  expect(faultOf({ type: 'poem' })).toMatch(/^UNKNOWN_TYPE/);
  expect(faultOf({})).toMatch(/^UNKNOWN_TYPE/);
});

test('rejects properties that are too large or too deep', () => {
  expect(faultOf({ ...track, properties: { text: 'x'.repeat(5_000) } })).toMatch(/^LIMIT_EXCEEDED/);
  const deep = JSON.parse(`${'{"a":'.repeat(100_000)}1${'}'.repeat(100_000)}`) as unknown;
  expect(faultOf({ ...track, properties: deep })).toMatch(/^LIMIT_EXCEEDED/);
});

test('limits the total number of counters in a batch', () => {
  const half = { ...summary, counters: Array(COUNTERS_MAX / 2).fill({ ...outcome, count: 1 }) };
  const { valid, rejected } = checkEvents([half, half, summary, exposure], NOW);
  expect(valid).toEqual([half, half, exposure]);
  expect(rejected).toMatchObject([{ index: 2, code: 'LIMIT_EXCEEDED' }]);
});
