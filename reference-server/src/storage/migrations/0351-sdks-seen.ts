/** Which SDKs report events with which API key. Ends with the environment. */
export const sdksSeen: readonly string[] = [
  `create table sdks_seen (
    organization_id text not null references organizations(id),
    environment_id text not null references environments(id) on delete cascade, key_id text not null,
    name text not null, version text not null, first_seen_at text not null, last_seen_at text not null,
    requests integer not null, primary key (environment_id, key_id, name, version)
  ) strict, without rowid`,
];
