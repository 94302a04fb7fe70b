/** Finds what one actor did without reading the entries of others. */
export const auditByActor: readonly string[] = [
  'create index audit_entries_by_actor on audit_entries (organization_id, actor_id, id)',
];
