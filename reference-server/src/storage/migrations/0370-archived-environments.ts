/** When an environment was archived. Null: it is in use. */
export const archivedEnvironments: readonly string[] = [
  'alter table environments add column archived_at text',
];
