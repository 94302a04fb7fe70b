/** Organizations, users, memberships, sessions, tokens and invitations. */
export const people: readonly string[] = [
  `create table organizations (
    id text primary key, name text not null, slug text not null unique, plan text not null, status text not null,
    settings_json text not null, revision integer not null, created_at text not null, updated_at text not null
  )`,
  `create table users (
    id text primary key, email text not null, email_folded text not null unique, full_name text,
    password_hash text not null, created_at text not null, last_login_at text, disabled_at text
  )`,
  `create table memberships (
    organization_id text not null references organizations(id), user_id text not null references users(id),
    role text not null check (role in ('admin', 'editor', 'viewer')), source text not null,
    joined_at text not null, environment_ids_json text, revision integer not null default 1,
    primary key (organization_id, user_id)
  )`,
  `create index memberships_by_user on memberships (user_id)`,
  `create table sessions (
    organization_id text not null references organizations(id), id text primary key,
    user_id text not null references users(id), refresh_hash text not null unique, created_at text not null,
    expires_at text not null, revoked_at text, ip text, user_agent text, authenticated_at text, last_used_at text
  )`,
  `create index sessions_by_user on sessions (user_id)`,
  `create table password_resets (
    user_id text not null references users(id), token_hash text primary key, created_at text not null,
    expires_at text not null
  )`,
  `create index password_resets_by_user on password_resets (user_id)`,
  `create table personal_tokens (
    organization_id text not null references organizations(id), id text primary key,
    user_id text not null references users(id), name text not null, hash text not null unique,
    last_four text not null, scopes_json text not null, created_at text not null, expires_at text not null,
    last_used_at text, revoked_at text
  )`,
  `create index personal_tokens_by_user on personal_tokens (user_id)`,
  `create table invitations (
    organization_id text not null references organizations(id), id text primary key, email text not null,
    email_folded text not null, role text not null check (role in ('admin', 'editor', 'viewer')),
    project_roles_json text not null, token_hash text not null unique, invited_by text, created_at text not null,
    expires_at text not null, accepted_at text, revoked_at text, revision integer not null default 1
  )`,
  `create index invitations_by_organization on invitations (organization_id, id)`,
  `create table totp_factors (
    user_id text primary key references users(id), secret_sealed text not null, created_at text not null,
    confirmed_at text, last_step integer not null
  )`,
  `create table recovery_codes (
    user_id text not null references users(id), code_hash text not null, primary key (user_id, code_hash)
  )`,
];
