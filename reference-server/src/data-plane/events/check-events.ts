import { type EvaluationEvent, type Json, REASONS } from '@flagsvc/sdk-core';
import { HOUR_MS, MINUTE_MS } from '../../lib/durations.ts';
import { isStorable } from '../../lib/text-checks.ts';
import type { RejectedEvent } from '../ports.ts';

/** The valid events of a batch, and the rejected ones by position. */
export interface CheckedEvents {
  readonly valid: EvaluationEvent[];
  readonly rejected: RejectedEvent[];
}

/** Maximum number of counters in one batch. */
export const COUNTERS_MAX = 2_000;
/** Maximum size of one event's properties as JSON, in bytes. */
const PROPERTIES_BYTES_MAX = 4_096;
const PROPERTIES_DEPTH_MAX = 8;
/** Maximum number of units of one track event. */
const UNITS_MAX = 100;
/** Maximum number of characters of a text. */
const TEXT_LENGTH_MAX = 1_024;
/** Maximum value of one count: far more than one interval can reach, and far less than would make sums overflow. */
const COUNT_MAX = 1_000_000_000;
const NO_COUNT = `is not a whole number from 0 to ${COUNT_MAX}`;
const OLDEST_MS = 72 * HOUR_MS;
const NEWEST_MS = 10 * MINUTE_MS;

type Fault = { readonly code: string; readonly message: string };

/** An unchecked event or counter: every field may be anything. */
interface Item {
  readonly type?: unknown;
  readonly id?: unknown;
  readonly timestamp?: unknown;
  readonly user_key?: unknown;
  readonly user_key_hashed?: unknown;
  readonly experiment_key?: unknown;
  readonly flag_key?: unknown;
  readonly variation_key?: unknown;
  readonly reason?: unknown;
  readonly rule_id?: unknown;
  readonly ruleset_version?: unknown;
  readonly start?: unknown;
  readonly end?: unknown;
  readonly counters?: unknown;
  readonly count?: unknown;
  readonly unit?: unknown;
  readonly units?: unknown;
  readonly event_name?: unknown;
  readonly value?: unknown;
  readonly properties?: unknown;
  readonly dropped_events?: unknown;
  readonly cause?: unknown;
}

/**
 * Separates the valid events of a batch from the invalid ones, so that one mistake loses only one event
 * (decisions/0012). `now` is in milliseconds since 1970.
 */
export function checkEvents(events: readonly unknown[], now: number): CheckedEvents {
  const valid: EvaluationEvent[] = [];
  const rejected: RejectedEvent[] = [];
  let counters = 0;
  events.forEach((event, index) => {
    let fault = isRecord(event) ? checkEvent(event, now) : invalid('is not an object');
    if (fault === undefined && (event as Item).type === 'summary') {
      counters += ((event as Item).counters as unknown[]).length;
      if (counters > COUNTERS_MAX) fault = tooMuch(`a batch has at most ${COUNTERS_MAX} counters`);
    }
    if (fault === undefined) valid.push(event as unknown as EvaluationEvent);
    else rejected.push({ index, ...fault });
  });
  return { valid, rejected };
}

function checkEvent(event: Item, now: number): Fault | undefined {
  switch (event.type) {
    case 'summary':
      return checkSummary(event, now);
    case 'exposure':
      return checkUnit(event) ?? checkIdentity(event, now) ?? checkOutcome(event) ?? checkExperiment(event);
    case 'track':
      return checkUnits(event) ?? checkIdentity(event, now) ?? checkTrack(event);
    case 'diagnostic':
      if (event.cause != null && !isText(event.cause)) return invalid('cause is not a text');
      return isCount(event.dropped_events) ? undefined : invalid(`dropped_events ${NO_COUNT}`);
    default:
      return { code: 'UNKNOWN_TYPE', message: 'The type of the event is unknown.' };
  }
}

function checkSummary(event: Item, now: number): Fault | undefined {
  const { start, end, counters } = event;
  const fault = checkTimestamp('start', start, now) ?? checkTimestamp('end', end, now);
  if (fault !== undefined) return fault;
  if (Date.parse(end as string) < Date.parse(start as string)) return invalid('end is before start');
  if (!Array.isArray(counters)) return invalid('counters is not a list');
  for (const counter of counters) {
    if (!isRecord(counter)) return invalid('a counter is not an object');
    const wrong = checkOutcome(counter);
    if (wrong !== undefined) return wrong;
    if (!isCount(counter.count)) return invalid(`count ${NO_COUNT}`);
  }
  return undefined;
}

function checkIdentity(event: Item, now: number): Fault | undefined {
  if (!isText(event.id)) return invalid('id is missing');
  // A unit without a user, such as a company, is enough.
  const hasUnit = event.unit != null || event.units != null;
  if (event.user_key == null ? !hasUnit : !isText(event.user_key)) return invalid('user_key is missing');
  const hashed = event.user_key_hashed;
  // Any other truthy value is probably a mistake; accepting it would store a hash as if it were a plain key.
  if (hashed != null && typeof hashed !== 'boolean')
    return invalid('user_key_hashed is neither true nor false');
  return checkTimestamp('timestamp', event.timestamp, now);
}

/** Checks the fields that counters and exposures share. */
function checkOutcome(item: Item): Fault | undefined {
  if (!isText(item.flag_key)) return invalid('flag_key is missing');
  if (!(REASONS as readonly unknown[]).includes(item.reason)) return invalid('reason is not a known reason');
  for (const name of ['variation_key', 'rule_id'] as const) {
    if (item[name] != null && !isText(item[name])) return invalid(`${name} is not a text`);
  }
  const version = item.ruleset_version;
  if (version != null && !Number.isSafeInteger(version)) return invalid('ruleset_version is not an integer');
  return undefined;
}

/** Checks what an exposure's rule assigned; a rule that assigns users has no unit. */
function checkUnit({ unit }: Item): Fault | undefined {
  if (unit == null) return undefined;
  const { by, key } = isRecord(unit) ? (unit as { by?: unknown; key?: unknown }) : {};
  return isText(by) && isText(key) ? undefined : invalid('unit is not an object with the texts by and key');
}

/** Checks the units of a track event besides the user. */
function checkUnits({ units }: Item): Fault | undefined {
  if (units == null) return undefined;
  const entries = isRecord(units) ? Object.entries(units) : [];
  if (entries.length === 0 || !entries.flat().every(isText))
    return invalid('units is not an object of texts');
  if (entries.length > UNITS_MAX) return tooMuch(`units has more than ${UNITS_MAX} entries`);
  return undefined;
}

function checkExperiment({ experiment_key }: Item): Fault | undefined {
  return experiment_key == null || isText(experiment_key)
    ? undefined
    : invalid('experiment_key is not a text');
}

function checkTrack(event: Item): Fault | undefined {
  const { event_name, value, properties } = event;
  if (!isText(event_name)) return invalid('event_name is missing');
  if (value !== undefined && !Number.isFinite(value)) return invalid('value is not a finite number');
  if (properties === undefined) return undefined;
  if (!isRecord(properties)) return invalid('properties is not an object');
  // Depth is checked first, because writing a value that is nested 200,000 deep would overflow the stack.
  if (!isWithinDepth(properties as Json, PROPERTIES_DEPTH_MAX)) {
    return tooMuch(`properties is nested more than ${PROPERTIES_DEPTH_MAX} levels deep`);
  }
  if (Buffer.byteLength(JSON.stringify(properties)) > PROPERTIES_BYTES_MAX) {
    return tooMuch(`properties has more than ${PROPERTIES_BYTES_MAX} bytes`);
  }
  return undefined;
}

function checkTimestamp(name: string, value: unknown, now: number): Fault | undefined {
  const time = typeof value === 'string' ? Date.parse(value) : Number.NaN;
  if (Number.isNaN(time)) return invalid(`${name} is not an ISO 8601 timestamp`);
  if (time < now - OLDEST_MS || time > now + NEWEST_MS) {
    return {
      code: 'TIMESTAMP_OUT_OF_RANGE',
      message: `${name} is more than 72 hours ago or more than 10 minutes ahead.`,
    };
  }
  return undefined;
}

function invalid(what: string): Fault {
  return { code: 'VALIDATION_ERROR', message: `The event is not valid: ${what}.` };
}

function tooMuch(what: string): Fault {
  return { code: 'LIMIT_EXCEEDED', message: `The event is too large: ${what}.` };
}

function isRecord(value: unknown): value is Item {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function isText(value: unknown): value is string {
  return typeof value === 'string' && value !== '' && value.length <= TEXT_LENGTH_MAX && isStorable(value);
}

function isCount(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) >= 0 && (value as number) <= COUNT_MAX;
}

function isWithinDepth(value: unknown, depth: number): boolean {
  if (typeof value !== 'object' || value === null) return true;
  return depth > 0 && Object.values(value).every((member) => isWithinDepth(member, depth - 1));
}
