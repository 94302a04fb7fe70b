/** Which expiry of an API key the last notice was about, so that each gets one notice. */
export const keyNotices: readonly string[] = [
  `alter table api_keys add column noticed_expiry text`,
  `create index api_keys_by_expiry on api_keys (expires_at) where expires_at is not null and revoked_at is null`,
];
