/**
 * The immutable part of an audit entry. `content_json` is canonical JSON (RFC 8785) without personal fields;
 * `leaf_hash` is its SHA-256 in hex, the leaf of a hash tree over the log. Neither is ever updated. The columns with
 * personal fields may be erased without changing the hash. Entries from before this migration have neither.
 */
export const auditLeaves: readonly string[] = [
  `alter table audit_entries add column content_json text`,
  `alter table audit_entries add column leaf_hash text`,
];
