/** Reads JSON from JavaScript, which may contain a NUL and lone surrogates. PostgreSQL rejects both. */
export const AS_JSON = String.raw`create function as_json(words text) returns json immutable parallel safe language sql as $$
    select (case when strpos(words, '\u') = 0 then words else
    regexp_replace(words, '(?<!\\)((?:\\\\)*)\\u(?:0000|d[89a-f]..)', '\1' || chr(65533), 'g') end)::json $$`;

/** PostgreSQL's functions and triggers: revisions, search, records of changes, and notifications. */
export const functions: readonly string[] = [
  // Folds the case of all letters, like SQLite's trigram index.
  `create function folded(words text) returns text immutable parallel safe language sql
    as $$ select lower(words collate "und-x-icu") collate "C" $$`,
  AS_JSON,
  // Without the extension, a search scans all documents of an organization.
  `do $$ begin
    create extension if not exists pg_trgm;
    create index search_documents_by_words on search_documents
      using gin (folded(key) gin_trgm_ops, folded(name) gin_trgm_ops, folded(description) gin_trgm_ops);
  exception when undefined_file or feature_not_supported or insufficient_privilege or undefined_object then
    raise warning 'searches have no index: %', sqlerrm;
  end $$`,

  // One row per part of a flag: the shared part has environment_id '' (decisions/0022).
  ...onEach('flags_revised', 'insert or update of revision on flags', [
    "if tg_op = 'INSERT' or new.revision <> old.revision then",
    `insert into flag_revisions (organization_id, flag_id, environment_id, revision, created_at, content_json)
      values (new.organization_id, new.id, '', new.revision, new.updated_at, ${contentOf([
        'name',
        'description',
        'flag_type',
        'status',
        'variations_json',
        'tags_json',
        'classification',
        'client_side',
        'track_exposures',
        'permanent',
        'owner_id',
        'expected_end_at',
        'stale_after_days',
      ])}); end if;`,
  ]),
  ...onEach('flag_environments_revised', 'insert or update of revision on flag_environments', [
    "if tg_op = 'INSERT' or new.revision <> old.revision then",
    `insert into flag_revisions (organization_id, flag_id, environment_id, revision, created_at, content_json)
      values (new.organization_id, new.flag_id, new.environment_id, new.revision, new.updated_at, ${contentOf(
        ['enabled', 'default_variation', 'rules_json', 'prerequisites_json'],
      )}); end if;`,
  ]),
  ...onEach('flag_environments_deleted', 'delete on flag_environments', [
    'delete from flag_revisions where flag_id = old.flag_id and environment_id = old.environment_id;',
  ]),

  ...['flags', 'segments'].flatMap((table) => [
    ...onEach(`${table}_found`, `insert on ${table}`, [
      'insert into search_documents (organization_id, project_id, type, id, key, name, description)',
      `values (new.organization_id, new.project_id, '${table.slice(0, -1)}', new.id, new.key, new.name,
        new.description);`,
    ]),
    ...onEach(`${table}_found_anew`, `update of name, description on ${table}`, [
      'update search_documents set name = new.name, description = new.description where id = new.id',
      'and (name <> new.name or description <> new.description);',
    ]),
    ...onEach(`${table}_lost`, `delete on ${table}`, ['delete from search_documents where id = old.id;']),
  ]),

  // Turning recording off deletes the recorded contexts, whichever statement does it.
  ...onEach('contexts_forgotten', 'update of record_contexts on environments', [
    'if new.record_contexts = 0 then delete from recorded_contexts where environment_id = new.id; end if;',
  ]),

  // Which transaction last wrote each flag and segment, so that only what changed is compiled again.
  `create table row_changes (kind text not null, id text not null, written_by integer not null,
    primary key (kind, id))`,
  `create index row_changes_by_writer on row_changes (written_by)`,
  ...record('flag', 'flags.id', ['key, flag_type, status, client_side, track_exposures, variations_json']),
  ...record('flag', 'flag_environments.flag_id', [
    'enabled, default_variation, rules_json, prerequisites_json',
  ]),
  ...record('segment', 'segments.id', []),

  // Notifies the other processes when the transaction commits.
  `create function tell_others() returns trigger language plpgsql
    as $$ begin perform pg_notify('flagsvc', ''); return null; end $$`,
  ...notify('rulesets', ['epoch', 'version']),
  ...notify('api_keys', ['revision', 'revoked_at']),
  ...notify('projects', ['archived_at']),
];

/** A function and a trigger that runs it for each row after an event such as `insert on flags`. */
function onEach(name: string, event: string, body: readonly string[]): string[] {
  return [
    `create function ${name}() returns trigger language plpgsql as $$ begin ${body.join(' ')} return null; end $$`,
    `create trigger ${name} after ${event} for each row execute function ${name}()`,
  ];
}

function contentOf(columns: readonly string[]): string {
  return `json_build_object(${columns.map((column) => `'${column}', new.${column}`).join(', ')})::text`;
}

/** Records writes of rows under the id in `column` (`flags.id`); without columns, any update counts. */
function record(kind: string, column: string, columns: readonly string[]): string[] {
  const [table, id] = column.split('.');
  const update = columns.length > 0 ? `update of ${columns.join(', ')}` : 'update';
  return onEach(`note_${table}`, `insert or ${update} or delete on ${table}`, [
    'insert into row_changes (kind, id, written_by)',
    `values ('${kind}', coalesce(new.${id}, old.${id}), pg_current_xact_id()::text::bigint)`,
    'on conflict (kind, id) do update set written_by = excluded.written_by;',
  ]);
}

function notify(table: string, columns: readonly string[]): string[] {
  const when = `insert or update of ${columns.join(', ')} or delete`;
  return [`create trigger tell_of_${table} after ${when} on ${table} execute function tell_others()`];
}
