/** Adds `track_exposures` to flags and their revisions, and lists of user keys to segments. */
export const exposuresAndSegmentLists: readonly string[] = [
  `alter table flags add column track_exposures integer not null default 0`,
  // The triggers of 0010 do not include the new column in revisions.
  `drop trigger flags_inserted`,
  `drop trigger flags_updated`,
  `create trigger flags_inserted after insert on flags begin ${keepShared()} end`,
  `create trigger flags_updated after update of revision on flags when new.revision <> old.revision
    begin ${keepShared()} end`,
  `alter table segments add column included_json text`,
  `alter table segments add column excluded_json text not null default '[]'`,
];

function keepShared(): string {
  const columns = [
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
  ];
  const content = columns.map((column) => `'${column}', new.${column}`).join(', ');
  return `insert into flag_revisions (organization_id, flag_id, environment_id, revision, created_at, content_json)
    values (new.organization_id, new.id, '', new.revision, new.updated_at, json_object(${content}));`;
}
