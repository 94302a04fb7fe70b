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
  | 'ers'
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
  | 'eml'
  | 'ref';

/** Makes `<prefix>_<ULID>`: opaque, unique, and sorted by creation time, even within a millisecond. */
export type NewId = (prefix: IdPrefix) => string;

/** A boundary: exactly the ids made before `ms` sort below it. */
export function firstIdAt(prefix: IdPrefix, ms: number): string {
  return `${prefix}_${encodeTime(ms)}`;
}

const RANDOM_MAX = 2 ** 40;

/** `randomInt` draws from a buffer that Node refills; ulid's own source makes sixteen system calls for one id. */
const random = (): number => randomInt(RANDOM_MAX) / RANDOM_MAX;

export function createIds(now: () => number): NewId {
  const next = monotonicFactory(random);
  return (prefix) => `${prefix}_${next(now())}`;
}

/** A random name for an epoch: a period in which a ruleset's version numbers only count up. */
export function newEpoch(): string {
  return randomBytes(8).toString('hex');
}
