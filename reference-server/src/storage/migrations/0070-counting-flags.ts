/** Flags are counted within their organization, so the index that counts them names it: no row is touched. */
export const countingFlags: readonly string[] = [
  `drop index flags_by_status`,
  `create index flags_by_status on flags (project_id, status, organization_id, id)`,
];
