/** Where code names flags: a snapshot of each branch of each repository, places only, never source. */
export const codeReferences: readonly string[] = [
  `create table code_snapshots (
    organization_id text not null references organizations(id),
    project_id text not null references projects(id) on delete cascade, id text primary key,
    repository text not null, branch text not null, revision text not null, url_template text,
    references_count integer not null, flags_count integer not null, created_by text,
    created_at text not null, updated_at text not null, unique (project_id, repository, branch)
  ) strict`,
  // By key, not by flag: keys that are no flags yet, or no more, are kept.
  `create table code_references (
    organization_id text not null, project_id text not null,
    snapshot_id text not null references code_snapshots(id) on delete cascade, flag_key text not null,
    path text not null, line integer not null, "column" integer not null, context_hash text,
    primary key (snapshot_id, flag_key, path, line, "column")
  ) strict, without rowid`,
  `create index code_references_by_flag on code_references (project_id, flag_key)`,
  // When a snapshot that named a key was last replaced or removed.
  `create table code_reference_ends (
    organization_id text not null, project_id text not null references projects(id) on delete cascade,
    flag_key text not null, ended_at text not null, primary key (project_id, flag_key)
  ) strict, without rowid`,
];
