/** What a person chose in the dashboard. Ends with the membership. */
export const preferences: readonly string[] = [
  `create table preferences (
    organization_id text not null, user_id text not null, preferences_json text not null, revision integer not null,
    updated_at text not null, primary key (organization_id, user_id),
    foreign key (organization_id, user_id) references memberships (organization_id, user_id) on delete cascade
  ) strict, without rowid`,
];
