/** The revision that `If-Match` is compared with when an invitation is renewed or withdrawn. */
export const invitationRevisions: readonly string[] = [
  `alter table invitations add column revision integer not null default 1`,
];
