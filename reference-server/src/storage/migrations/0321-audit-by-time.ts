/** Finds the audit entries of a period, newest first, without reading those before and after it. */
export const auditByTime: readonly string[] = [
  'create index audit_entries_by_time on audit_entries (organization_id, created_at, id)',
];
