/**
 * Tables without a policy: users may belong to several organizations, and a policy would keep searches from using their
 * index.
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
 * A write in an organization's lock scope (`writeExclusively`) sees and writes only rows of that organization, even if
 * a statement lacks a condition on it. Later migrations that add a tenant table must protect it in the same way.
 */
export const rowLevelSecurity: readonly string[] = [
  `create procedure hold_to_organization(held text) language plpgsql as $$ begin
    execute format('alter table %I enable row level security', held);
    -- Policies must also apply to the owner of the tables, the role with which the server connects.
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
