/** Service accounts and their tokens. */
export const serviceAccounts: readonly string[] = [
  `create table service_accounts (
    organization_id text not null references organizations(id), id text primary key,
    kind text not null check (kind in ('service_account', 'agent')), name text not null, description text not null,
    role text not null check (role in ('admin', 'editor', 'viewer')), environment_ids_json text, disabled_at text,
    created_by text not null, created_at text not null, updated_at text not null, revision integer not null
  ) strict`,
  `create index service_accounts_by_organization on service_accounts (organization_id, id)`,
  `create table service_account_roles (
    organization_id text not null references organizations(id),
    service_account_id text not null references service_accounts(id) on delete cascade,
    project_id text not null references projects(id) on delete cascade,
    role text not null check (role in ('admin', 'editor', 'viewer')), primary key (service_account_id, project_id)
  ) strict, without rowid`,
  `create index service_account_roles_by_project on service_account_roles (project_id)`,
  `create table service_account_tokens (
    organization_id text not null references organizations(id), id text primary key,
    service_account_id text not null references service_accounts(id) on delete cascade, name text not null,
    hash text not null unique, last_four text not null, scopes_json text not null, created_by text not null,
    created_at text not null, expires_at text not null, last_used_at text, revoked_at text
  ) strict`,
  `create index service_account_tokens_by_account on service_account_tokens (service_account_id)`,
  `alter table audit_entries add column actor_name text`,
  `alter table audit_entries add column actor_token_id text`,
];
