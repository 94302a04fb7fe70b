/** Who of several processes on one database does what only one of them may do. */
export const leases: readonly string[] = [
  `create table leases (
    name text primary key, holder text not null, expires_at text not null
  ) strict, without rowid`,
];
