/** Keyed hashes of the secrets with which the database is used. */
export const secretMarks: readonly string[] = [
  `create table secret_marks (
    variable text primary key, mark text not null
  ) strict, without rowid`,
];
