/** The rate limits of an API key that differ from the server's, as a JSON object. */
export const keyRateLimits: readonly string[] = [
  `alter table api_keys add column rate_limits_json text not null default '{}'`,
];
