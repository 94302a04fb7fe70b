/** Stores the warnings of an answer, for a repeated `Idempotency-Key`. */
export const repeatedWarnings: readonly string[] = [
  `alter table idempotency_keys add column warnings_json text not null default '[]'`,
];
