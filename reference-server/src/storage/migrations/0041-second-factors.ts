/** Second factors of users, and recovery codes. */
export const secondFactors: readonly string[] = [
  `create table totp_factors (
    user_id text primary key references users(id), secret_sealed text not null, created_at text not null,
    confirmed_at text, last_step integer not null
  ) strict, without rowid`,
  `create table recovery_codes (
    user_id text not null references users(id), code_hash text not null, primary key (user_id, code_hash)
  ) strict, without rowid`,
];
