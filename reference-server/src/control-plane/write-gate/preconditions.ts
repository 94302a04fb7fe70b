import { ApiError } from '../../http/errors.ts';
import type { Queryable } from '../../storage/database.ts';
import type { Preconditions, Resource } from './change.ts';
import { type Changes, diff, type Fields } from './diff.ts';

/** Loads a resource's fields at an earlier revision; undefined when that revision is not stored. */
export type PastFields = (db: Queryable, resource: Resource, revision: number) => Promise<Fields | undefined>;

/** No precondition, for sets of changes, because an entity tag belongs to one resource. */
export const UNCONDITIONAL: Preconditions = { ifMatch: undefined, isNew: undefined };

/** Preconditions, and the look-up for the diff; without the look-up, no past revision counts as stored. */
export interface Requirements extends Preconditions {
  readonly pastFields?: PastFields | undefined;
}

/** The part of a planned change that preconditions are checked against. */
export interface RevisedChange {
  readonly resource: Resource;
  readonly before: Fields | null;
  /** As in `Plan`: null when the resource does not exist yet, absent when no precondition applies. */
  readonly revision?: number | null | undefined;
  /** The requested changes. */
  readonly changes: Changes;
}

/**
 * Throws PRECONDITION_FAILED when no entity tag of `If-Match` names the current revision, or when `If-None-Match: *`
 * meets an existing resource. The details contain a diff: the changes since the caller's revision if that revision is
 * stored, otherwise the changes that the request would make.
 */
export async function requireRevision(
  db: Queryable,
  change: RevisedChange,
  { ifMatch, isNew = false, pastFields }: Requirements,
): Promise<void> {
  const { revision: current } = change;
  if (current === undefined) return;
  const exists = isNew && current !== null;
  if (!exists && (ifMatch === undefined || isNamed(current, ifMatch))) return;
  const since = pastFields && (await changesSince(change, ifMatch ?? [], (...of) => pastFields(db, ...of)));
  throw new ApiError('PRECONDITION_FAILED', {
    ...(exists && { message: 'The resource exists already, and If-None-Match requires that it does not.' }),
    details: {
      current_revision: current,
      diff: since ?? change.changes,
      diff_basis: since === undefined ? 'request' : 'if_match',
    },
    headers: current === null ? {} : { etag: `"${current}"` },
  });
}

function isNamed(current: number | null, ifMatch: readonly string[]): boolean {
  return current !== null && ['*', String(current)].some((tag) => ifMatch.includes(tag));
}

/** The changes since the newest revision in `ifMatch` that is stored; undefined when none of them is stored. */
async function changesSince(
  { resource, before }: RevisedChange,
  ifMatch: readonly string[],
  pastFields: (resource: Resource, revision: number) => Promise<Fields | undefined>,
): Promise<Changes | undefined> {
  if (before === null) return undefined;
  const revisions = ifMatch.filter((tag) => /^\d{1,15}$/.test(tag)).map(Number);
  for (const revision of revisions.sort((left, right) => right - left)) {
    const past = await pastFields(resource, revision);
    if (past === undefined) continue;
    const comparable = Object.keys(past).map((field) => [field, before[field]]);
    return diff(past, Object.fromEntries(comparable) as Fields);
  }
  return undefined;
}
