import { KEY_COLUMNS } from '../0075-keys-revisions.ts';

/** Counts, for each environment, the changes to what its API keys grant, as on SQLite (decisions/0040). */
export const keysRevisions: readonly string[] = [
  'alter table rulesets add column keys_revision integer not null default 0',
  `create function count_key_changes() returns trigger language plpgsql as $$ begin
    update rulesets set keys_revision = keys_revision + 1
      where environment_id = coalesce(new.environment_id, old.environment_id);
    return null; end $$`,
  `create trigger keys_counted after insert or update of ${KEY_COLUMNS.join(', ')} or delete on api_keys
    for each row execute function count_key_changes()`,
  `create function count_key_changes_of_project() returns trigger language plpgsql as $$ begin
    update rulesets set keys_revision = keys_revision + 1
      where environment_id in (select id from environments where project_id = new.id);
    return null; end $$`,
  `create trigger keys_counted_of_project after update of archived_at on projects
    for each row when (old.archived_at is distinct from new.archived_at)
    execute function count_key_changes_of_project()`,
];
