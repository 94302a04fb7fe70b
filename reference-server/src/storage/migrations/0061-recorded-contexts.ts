/** A sample of evaluated contexts, for environments that record them (decisions/0032). */
export const recordedContexts: readonly string[] = [
  `alter table environments add column record_contexts integer not null default 0`,
  `create table recorded_contexts (
    organization_id text not null references organizations(id),
    environment_id text not null references environments(id) on delete cascade, digest text not null,
    rank real not null, recorded_at text not null, context_json text not null, primary key (environment_id, digest)
  ) strict, without rowid`,
  // Turning recording off deletes the recorded contexts, whichever statement does it.
  `create trigger contexts_forgotten after update of record_contexts on environments when new.record_contexts = 0
    begin delete from recorded_contexts where environment_id = new.id; end`,
];
