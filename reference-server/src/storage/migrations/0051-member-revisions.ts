/** The revision that `If-Match` is compared with when a member is changed. */
export const memberRevisions: readonly string[] = [
  `alter table memberships add column revision integer not null default 1`,
];
