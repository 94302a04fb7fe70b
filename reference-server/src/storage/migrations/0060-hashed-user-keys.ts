/** Marks hashed user keys in exposures and track events, and names the experiment of an exposure. */
export const hashedUserKeys: readonly string[] = [
  `alter table exposures add column user_key_hashed integer not null default 0`,
  `alter table exposures add column experiment_key text`,
  `alter table track_events add column user_key_hashed integer not null default 0`,
];
