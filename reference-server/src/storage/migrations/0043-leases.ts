/** Leases: which process runs the work that only one process may run. */
export const leases: readonly string[] = [
  `create table leases (
    name text primary key, holder text not null, expires_at text not null
  ) strict, without rowid`,
];
