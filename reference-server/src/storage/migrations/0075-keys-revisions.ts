/** The columns of an API key that decide what it grants. */
export const KEY_COLUMNS: readonly string[] = [
  'revision',
  'hash',
  'previous_hash',
  'expires_at',
  'previous_expires_at',
  'revoked_at',
  'allowed_origins_json',
  'allowed_ips_json',
];

/**
 * Counts, for each environment, the changes to what its API keys grant, so that other processes find every change
 * (decisions/0040). Triggers do the counting, so that no statement can bypass it. Using a key is not a change.
 */
export const keysRevisions: readonly string[] = [
  'alter table rulesets add column keys_revision integer not null default 0',
  ...count('insert', 'new'),
  ...count(`update of ${KEY_COLUMNS.join(', ')}`, 'new'),
  ...count('delete', 'old'),
  `create trigger keys_counted_of_project after update of archived_at on projects
    when old.archived_at is not new.archived_at begin
      update rulesets set keys_revision = keys_revision + 1
        where environment_id in (select id from environments where project_id = new.id); end`,
];

function count(when: string, row: 'new' | 'old'): string[] {
  const [event] = when.split(' ', 1);
  return [
    `create trigger keys_counted_on_${event} after ${when} on api_keys begin
      update rulesets set keys_revision = keys_revision + 1 where environment_id = ${row}.environment_id; end`,
  ];
}
