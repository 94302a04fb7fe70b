/**
 * Revisions of flags, the search index, lifecycle columns, reserved keys and imports. Triggers write the revisions and
 * the index, so that no statement can bypass them.
 */
export const revisionsSearchImports: readonly string[] = [
  `alter table flags add column stale_since text`,
  `alter table flags add column stale_reasons_json text not null default '[]'`,
  `alter table flags add column stale_after_days integer`,
  `alter table flags add column stale_snoozed_until text`,

  // One row per part of a flag: the shared part has environment_id '' (decisions/0022).
  `create table flag_revisions (
    organization_id text not null, seq integer primary key autoincrement,
    flag_id text not null references flags(id) on delete cascade, environment_id text not null,
    revision integer not null, audit_id text, created_at text not null, content_json text not null
  ) strict`,
  `create index flag_revisions_by_flag on flag_revisions (flag_id, environment_id, seq)`,
  `create index flag_revisions_unlinked on flag_revisions (seq) where audit_id is null`,
  `insert into flag_revisions (organization_id, flag_id, environment_id, revision, audit_id, created_at, content_json)
    select organization_id, id, '', revision, '', updated_at, ${shared('flags')} from flags`,
  `insert into flag_revisions (organization_id, flag_id, environment_id, revision, audit_id, created_at, content_json)
    select organization_id, flag_id, environment_id, revision, '', updated_at, ${own('flag_environments')}
    from flag_environments`,
  `create trigger flags_inserted after insert on flags begin ${keepShared()} end`,
  `create trigger flags_updated after update of revision on flags when new.revision <> old.revision
    begin ${keepShared()} end`,
  `create trigger flag_environments_inserted after insert on flag_environments begin ${keepOwn()} end`,
  `create trigger flag_environments_updated after update of revision on flag_environments
    when new.revision <> old.revision begin ${keepOwn()} end`,
  `create trigger flag_environments_deleted after delete on flag_environments begin
    delete from flag_revisions where flag_id = old.flag_id and environment_id = old.environment_id;
  end`,

  `create table search_documents (
    organization_id text not null, doc integer primary key, project_id text not null, type text not null,
    id text not null unique, key text not null, name text not null, description text not null
  ) strict`,
  `create virtual table search_index using fts5 (
    key, name, description, content = 'search_documents', content_rowid = 'doc', tokenize = 'trigram'
  )`,
  `create trigger search_documents_inserted after insert on search_documents begin ${index('new')} end`,
  `create trigger search_documents_updated after update on search_documents begin
    ${unindex('old')} ${index('new')} end`,
  `create trigger search_documents_deleted after delete on search_documents begin ${unindex('old')} end`,
  ...['flags', 'segments'].flatMap(searchable),

  `create table reserved_keys (
    organization_id text not null, project_id text not null references projects(id) on delete cascade,
    key text not null, flag_id text not null, reserved_at text not null, reserved_until text not null,
    primary key (project_id, key)
  ) strict, without rowid`,
  `create table imports (
    organization_id text not null, project_id text not null references projects(id) on delete cascade,
    id text primary key, format text not null, mode text not null,
    status text not null check (status in ('planned', 'applied', 'failed')), document_json text not null,
    plan_json text not null, fingerprint text not null, error_json text, created_by text, created_at text not null,
    finished_at text
  ) strict`,
  `create index imports_by_project on imports (project_id, id)`,
  `create index counters_hourly_by_flag on counters_hourly (environment_id, flag_key, hour)`,
];

function shared(row: string): string {
  const columns = [
    'name',
    'description',
    'flag_type',
    'status',
    'variations_json',
    'tags_json',
    'classification',
    'client_side',
    'permanent',
    'owner_id',
    'expected_end_at',
    'stale_after_days',
  ];
  return `json_object(${columns.map((column) => `'${column}', ${row}.${column}`).join(', ')})`;
}

function own(row: string): string {
  const columns = ['enabled', 'default_variation', 'rules_json', 'prerequisites_json'];
  return `json_object(${columns.map((column) => `'${column}', ${row}.${column}`).join(', ')})`;
}

function keepShared(): string {
  return `insert into flag_revisions (organization_id, flag_id, environment_id, revision, created_at, content_json)
    values (new.organization_id, new.id, '', new.revision, new.updated_at, ${shared('new')});`;
}

function keepOwn(): string {
  return `insert into flag_revisions (organization_id, flag_id, environment_id, revision, created_at, content_json)
    values (new.organization_id, new.flag_id, new.environment_id, new.revision, new.updated_at, ${own('new')});`;
}

function index(row: string): string {
  return `insert into search_index (rowid, key, name, description)
    values (${row}.doc, ${row}.key, ${row}.name, ${row}.description);`;
}

function unindex(row: string): string {
  return `insert into search_index (search_index, rowid, key, name, description)
    values ('delete', ${row}.doc, ${row}.key, ${row}.name, ${row}.description);`;
}

function searchable(table: string): string[] {
  const type = table.slice(0, -1);
  const columns = 'organization_id, project_id, type, id, key, name, description';
  const values = (row: string) =>
    `${row}.organization_id, ${row}.project_id, '${type}', ${row}.id, ${row}.key, ${row}.name, ${row}.description`;
  return [
    `insert into search_documents (${columns}) select ${values(table)} from ${table}`,
    `create trigger ${table}_found after insert on ${table} begin
      insert into search_documents (${columns}) values (${values('new')});
    end`,
    `create trigger ${table}_found_anew after update of name, description on ${table}
      when new.name <> old.name or new.description <> old.description begin
      update search_documents set name = new.name, description = new.description where id = new.id;
    end`,
    `create trigger ${table}_lost after delete on ${table} begin
      delete from search_documents where id = old.id;
    end`,
  ];
}
