import type { PartRow } from './revision-store.ts';

/** One past state of a flag in an environment. */
export interface RevisionPoint {
  /** The sum of the revisions of the shared part and the environment's part. */
  readonly revision: number;
  readonly auditId: string | null;
  readonly at: string;
  /** The rows that contain the shared part and the environment's part. */
  readonly parts: readonly [shared: number, own: number];
}

/** The past states of a flag, oldest first. A change that wrote both parts counts as one state. */
export function revisionPoints(rows: readonly PartRow[]): readonly RevisionPoint[] {
  const points: RevisionPoint[] = [];
  let shared: PartRow | undefined;
  let own: PartRow | undefined;
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
      parts: [shared.seq, own.seq],
    });
  }
  return points;
}
