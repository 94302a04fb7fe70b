/**
 * When each nightly job is next due. Replaces the rows of `leases` that have no holder. Those are deleted, not copied,
 * because each job's due time is stored again at the next start.
 */
export const jobRuns: readonly string[] = [
  `create table job_runs (
    job text primary key, due_at text not null, last_run_at text
  ) strict, without rowid`,
  `delete from leases where holder = ''`,
];
