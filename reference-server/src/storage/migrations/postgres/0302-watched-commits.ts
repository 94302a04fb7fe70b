/**
 * Which transactions committed something that other processes have to notice: an audit entry, a version of a ruleset, or
 * a key. Counts of requests, events and leases change far more often and are not recorded. Each transaction adds a row of
 * its own, so no two wait for each other. Rows that are 100,000 transactions old are deleted, a few at a time. Unlogged:
 * after a crash, every process reads everything again.
 */
export const watchedCommits: readonly string[] = [
  'create unlogged table watched_commits (written_by bigint primary key)',
  `create function watch_commit() returns trigger language plpgsql as $$ begin
    insert into watched_commits values (pg_current_xact_id()::text::bigint) on conflict do nothing;
    if found then
      delete from watched_commits where written_by in (
        select written_by from watched_commits
          where written_by < pg_snapshot_xmin(pg_current_snapshot())::text::bigint - 100000
          order by written_by limit 10 for update skip locked);
    end if;
    return null; end $$`,
  watch('audit_entries', 'insert'),
  watch('rulesets', 'insert or update of epoch, version, keys_revision or delete'),
];

function watch(table: string, event: string): string {
  return `create trigger watch_${table} after ${event} on ${table} execute function watch_commit()`;
}
