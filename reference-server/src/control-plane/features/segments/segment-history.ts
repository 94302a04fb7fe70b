import type { Queryable } from '../../../storage/database.ts';
import type { Changes } from '../../write-gate/diff.ts';
import type { SegmentPatch, SegmentRecord } from './segment-state.ts';

/** A change of a segment, with the revision that it changed. */
export interface PastChange {
  readonly revision: number;
  readonly changes: Changes;
}

/** The changes of a segment since a revision, newest first, as far as the audit log still has them. */
export async function listChangesSince(
  db: Queryable,
  { id, organizationId }: { readonly id: string; readonly organizationId: string },
  revision: number,
): Promise<readonly PastChange[]> {
  const rows = await db
    .selectFrom('audit_entries')
    .select(['revision', 'changes_json'])
    .where('organization_id', '=', organizationId)
    .where('resource_id', '=', id)
    .where('revision', '>=', revision)
    .orderBy('revision', 'desc')
    .execute();
  return rows.map((row) => ({
    revision: row.revision!,
    changes: JSON.parse(row.changes_json) as Changes,
  }));
}

/**
 * The fields that lead back to the content of an older revision. Undefined if the segment never had the revision, or if
 * the audit log no longer has all changes since.
 */
export function fieldsAt(
  now: SegmentRecord,
  revision: number,
  changes: readonly PastChange[],
): SegmentPatch | undefined {
  if (revision < 1 || revision > now.revision || changes.length !== now.revision - revision) return undefined;
  const fields: Record<string, unknown> = { ...now };
  const touched = new Set<string>();
  for (const [index, change] of changes.entries()) {
    if (change.revision !== now.revision - 1 - index) return undefined;
    for (const [field, { from, to }] of Object.entries(change.changes)) {
      touched.add(field);
      fields[field] = isKeyList(field, from) && isKeyList(field, to) ? undo(fields[field], from, to) : from;
    }
  }
  return Object.fromEntries([...touched].map((field) => [field, fields[field]]));
}

/** The audit log stores only the removed and the added user keys of a list. */
function isKeyList(field: string, value: unknown): value is readonly string[] {
  return (field === 'included' || field === 'excluded') && Array.isArray(value);
}

function undo(now: unknown, removed: readonly string[], added: readonly string[]): readonly string[] {
  const gone = new Set(added);
  return [...(now as readonly string[]).filter((key) => !gone.has(key)), ...removed];
}
