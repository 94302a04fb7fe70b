/** A covering index, for counting searches that match most flags. */
export const searchingFlags: readonly string[] = [
  `drop index flags_by_status`,
  `create index flags_by_status on flags (project_id, status, organization_id, id, name, key)`,
];
