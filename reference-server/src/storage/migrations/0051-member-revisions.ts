/** What `If-Match` is held against when a member is changed. */
export const memberRevisions: readonly string[] = [
  `alter table memberships add column revision integer not null default 1`,
];
