import type { ImportTable } from '../../../storage/flag-tables.ts';
import type { ImportMode, ImportPlan } from './import-steps.ts';
import type { ImportFormat } from './read-document.ts';

/** An import as the API shows it. */
export interface ImportRecord {
  readonly id: string;
  readonly project_id: string;
  readonly format: ImportFormat;
  readonly mode: ImportMode;
  readonly status: 'planned' | 'applying' | 'applied' | 'failed';
  readonly plan: ImportPlan;
  /** Why it failed; null unless the status is `failed`. */
  readonly error: { readonly code: string; readonly message: string; readonly details: object } | null;
  readonly created_by: string | null;
  readonly created_at: string;
  readonly finished_at: string | null;
}

/** `isRunning`: whether this process is applying the import now. */
export function toRecord(row: ImportTable, isRunning: boolean): ImportRecord {
  return {
    id: row.id,
    project_id: row.project_id,
    format: row.format as ImportFormat,
    mode: row.mode as ImportMode,
    status: isRunning ? 'applying' : (row.status as ImportRecord['status']),
    plan: planOf(row),
    error: row.error_json === null ? null : (JSON.parse(row.error_json) as ImportRecord['error']),
    created_by: row.created_by,
    created_at: row.created_at,
    finished_at: row.finished_at,
  };
}

export function planOf({ plan_json }: Pick<ImportTable, 'plan_json'>): ImportPlan {
  return JSON.parse(plan_json) as ImportPlan;
}
