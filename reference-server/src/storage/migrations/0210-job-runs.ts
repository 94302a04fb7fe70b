/** When each nightly job is next due. Replaces rows of `leases` without a holder, which a restart writes anew. */
export const jobRuns: readonly string[] = [
  `create table job_runs (
    job text primary key, due_at text not null, last_run_at text
  ) strict, without rowid`,
  `delete from leases where holder = ''`,
];
