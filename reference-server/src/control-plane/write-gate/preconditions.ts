import { ApiError } from '../../http/errors.ts';
import type { Queryable } from '../../storage/database.ts';
import type { Preconditions, Resource } from './change.ts';
import { type Changes, diff, type Fields } from './diff.ts';

/** The fields of a resource at an earlier revision; undefined where that is not kept. */
export type PastFields = (db: Queryable, resource: Resource, revision: number) => Promise<Fields | undefined>;

export const UNCONDITIONAL: Preconditions = { ifMatch: undefined, isNew: undefined };

/** What of a planned change is held against `If-Match`. */
export interface RevisedChange {
  readonly resource: Resource;
  readonly before: Fields | null;
  /** Null where there is none yet; absent where none can be asked for. */
  readonly revision?: number | null | undefined;
  /** From what there is to what is asked for. */
  readonly changes: Changes;
}

/**
 * Throws PRECONDITION_FAILED unless one of the entity tags is of the current revision, or nothing is there where nothing
 * should be. The answer says what differs (decisions/0022): since the caller's revision where that is kept, else from
 * what there is to what was asked for.
 */
export async function requireRevision(
  db: Queryable,
  change: RevisedChange,
  { ifMatch, isNew = false }: Preconditions,
  pastFields?: PastFields,
): Promise<void> {
  const { revision: current } = change;
  if (current === undefined) return;
  const isThere = isNew && current !== null;
  if (!isThere && (ifMatch === undefined || isNamed(current, ifMatch))) return;
  const since = pastFields && (await changesSince(db, change, ifMatch ?? [], pastFields));
  throw new ApiError('PRECONDITION_FAILED', {
    ...(isThere && { message: 'The resource is there already, and If-None-Match asks for a new one.' }),
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

/** What has changed since the newest of the named revisions that is kept. */
async function changesSince(
  db: Queryable,
  { resource, before }: RevisedChange,
  ifMatch: readonly string[],
  pastFields: PastFields,
): Promise<Changes | undefined> {
  if (before === null) return undefined;
  const named = ifMatch.filter((tag) => /^\d{1,15}$/.test(tag)).map(Number);
  for (const revision of named.sort((left, right) => right - left)) {
    const past = await pastFields(db, resource, revision);
    if (past === undefined) continue;
    const kept = Object.keys(past).map((field) => [field, before[field]]);
    return diff(past, Object.fromEntries(kept) as Fields);
  }
  return undefined;
}
