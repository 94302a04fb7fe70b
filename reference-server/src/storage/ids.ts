import { randomBytes, randomInt } from 'node:crypto';
import { encodeTime, monotonicFactory } from 'ulid';

/** The prefixes of identifiers ("Resources and their fields"). */
export type IdPrefix =
  | 'usr'
  | 'org'
  | 'prj'
  | 'env'
  | 'flg'
  | 'rule'
  | 'seg'
  | 'key'
  | 'ses'
  | 'evt'
  | 'inv'
  | 'pat'
  | 'svc'
  | 'svt'
  | 'frz'
  | 'bgl'
  | 'sch'
  | 'imp'
  | 'whk'
  | 'msg'
  | 'dlv'
  | 'ref';

/** Makes `prefix_` and a ULID: opaque, unique, and sorted by the time of its making, also within a millisecond. */
export type NewId = (prefix: IdPrefix) => string;

/** Every id that was made before the time is smaller, and no other. */
export function firstIdAt(prefix: IdPrefix, ms: number): string {
  return `${prefix}_${encodeTime(ms)}`;
}

const RANDOM_MAX = 2 ** 40;

/** Node keeps a store of random bytes for `randomInt`; ulid's own source asks the system sixteen times for an id. */
const random = (): number => randomInt(RANDOM_MAX) / RANDOM_MAX;

export function createIds(now: () => number): NewId {
  const next = monotonicFactory(random);
  return (prefix) => `${prefix}_${next(now())}`;
}

/** Of a ruleset's versions: no other counting has the same. */
export function newEpoch(): string {
  return randomBytes(8).toString('hex');
}
