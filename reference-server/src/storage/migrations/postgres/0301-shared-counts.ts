/**
 * Counts that several nodes share for minutes: requests against rate limits, and failed logins. Unlogged, because they
 * are written several times a second and may be lost. Times are milliseconds of the database's clock since 1970.
 */
export const sharedCounts: readonly string[] = [
  `create unlogged table shared_counts (
    key text collate "C" primary key, used bigint not null, ends_at bigint not null
  ) with (fillfactor = 50)`,
  `create unlogged table shared_login_failures (
    account text collate "C" primary key, failures bigint not null, last_at bigint not null, wait_until bigint not null
  ) with (fillfactor = 50)`,
];
