/** The expiry of an API key for which the last notice was sent, so that each expiry gets one notice. */
export const keyNotices: readonly string[] = [
  `alter table api_keys add column noticed_expiry text`,
  `create index api_keys_by_expiry on api_keys (expires_at) where expires_at is not null and revoked_at is null`,
];
