/** Finds the last change of each flag in any environment without reading the rows of its configurations. */
export const flagChanges: readonly string[] = [
  'create index flag_environments_by_change on flag_environments (flag_id, updated_at)',
];
