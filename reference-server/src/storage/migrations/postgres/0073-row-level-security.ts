/**
 * Tables of people, who may belong to several organizations, and the one that searches are helped by: an index is of no
 * use to them behind a policy.
 */
export const FREE_TABLES = [
  'memberships',
  'sessions',
  'personal_tokens',
  'invitations',
  'project_roles',
  'search_documents',
] as const;

/**
 * In the turn of an organization (`writeAlone`) only its rows are there, and no other can be written, whatever a
 * statement forgets to say. A later migration that makes a table of an organization's holds it in the same way.
 */
export const rowLevelSecurity: readonly string[] = [
  `create procedure hold_to_organization(held text) language plpgsql as $$ begin
    execute format('alter table %I enable row level security', held);
    -- Of the owner too, who is the one that asks.
    execute format('alter table %I force row level security', held);
    execute format('create policy of_organization on %I using (organization_id =
      coalesce(nullif(current_setting(''flagsvc.organization'', true), ''''), organization_id))', held);
  end $$`,
  `do $$ declare held text; begin
    for held in select table_name from information_schema.columns
      where table_schema = current_schema() and column_name = 'organization_id'
        and table_name not in (${FREE_TABLES.map((name) => `'${name}'`).join(', ')})
    loop call hold_to_organization(held); end loop;
  end $$`,
];
