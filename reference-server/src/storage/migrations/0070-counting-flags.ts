/** An index for counting the flags of an organization without reading rows. */
export const countingFlags: readonly string[] = [
  `drop index flags_by_status`,
  `create index flags_by_status on flags (project_id, status, organization_id, id)`,
];
