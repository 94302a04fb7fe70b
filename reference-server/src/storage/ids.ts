import { monotonicFactory } from 'ulid';

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

export function createIds(now: () => number): NewId {
  const next = monotonicFactory();
  return (prefix) => `${prefix}_${next(now())}`;
}
