import type { HalfRow } from './revision-store.ts';

/** One state of a flag as an environment has shown it. */
export interface RevisionPoint {
  /** The sum of the two halves' revisions (decisions/0022). */
  readonly revision: number;
  readonly auditId: string | null;
  readonly at: string;
  /** Where the two halves are kept. */
  readonly halves: readonly [shared: number, own: number];
}

/**
 * The states that a flag went through, the oldest first. Rows of one change are one step, though it may have written
 * both halves; before both are there, nothing was shown.
 */
export function revisionPoints(rows: readonly HalfRow[]): readonly RevisionPoint[] {
  const points: RevisionPoint[] = [];
  let shared: HalfRow | undefined;
  let own: HalfRow | undefined;
  for (const [index, row] of rows.entries()) {
    if (row.environment_id === '') shared = row;
    else own = row;
    const next = rows[index + 1];
    const isOneChange = row.audit_id !== null && row.audit_id !== '' && next?.audit_id === row.audit_id;
    if (isOneChange || shared === undefined || own === undefined) continue;
    points.push({
      revision: shared.revision + own.revision,
      auditId: row.audit_id === '' ? null : row.audit_id,
      at: row.created_at,
      halves: [shared.seq, own.seq],
    });
  }
  return points;
}
