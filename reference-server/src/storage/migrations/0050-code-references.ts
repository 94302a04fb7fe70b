/** Where code mentions flags: one snapshot per branch of a repository, with places but no source code. */
export const codeReferences: readonly string[] = [
  `create table code_snapshots (
    organization_id text not null references organizations(id),
    project_id text not null references projects(id) on delete cascade, id text primary key,
    repository text not null, branch text not null, revision text not null, url_template text,
    references_count integer not null, flags_count integer not null, created_by text,
    created_at text not null, updated_at text not null, unique (project_id, repository, branch)
  ) strict`,
  // References name the flag's key, because the flag may not exist yet, or may be deleted.
  `create table code_references (
    organization_id text not null, project_id text not null,
    snapshot_id text not null references code_snapshots(id) on delete cascade, flag_key text not null,
    path text not null, line integer not null, "column" integer not null, context_hash text,
    primary key (snapshot_id, flag_key, path, line, "column")
  ) strict, without rowid`,
  `create index code_references_by_flag on code_references (project_id, flag_key)`,
  // When a snapshot that mentioned the key was last replaced or removed.
  `create table code_reference_ends (
    organization_id text not null, project_id text not null references projects(id) on delete cascade,
    flag_key text not null, ended_at text not null, primary key (project_id, flag_key)
  ) strict, without rowid`,
];
