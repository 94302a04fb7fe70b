/** Orders to delete the events of a user. They are kept, without the user's key, as a proof. */
export const erasures: readonly string[] = [
  `create table erasures (
    organization_id text not null references organizations(id), id text not null, user_key text, created_at text not null,
    completed_at text, exposures integer not null default 0, track_events integer not null default 0,
    primary key (organization_id, id)
  ) strict, without rowid`,
];
