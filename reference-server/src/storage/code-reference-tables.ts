/** The tables of code references. */

/** The flag keys that one branch of a repository mentions, as of one revision. */
export interface CodeSnapshotTable {
  organization_id: string;
  project_id: string;
  id: string;
  repository: string;
  branch: string;
  /** The commit. */
  revision: string;
  url_template: string | null;
  references_count: number;
  /** Distinct keys among the references. */
  flags_count: number;
  created_by: string | null;
  created_at: string;
  updated_at: string;
}

/** One place in the code that mentions a flag key. */
export interface CodeReferenceTable {
  organization_id: string;
  project_id: string;
  snapshot_id: string;
  flag_key: string;
  path: string;
  line: number;
  /** 0: unknown. */
  column: number;
  context_hash: string | null;
}

/** When a snapshot that mentioned the key was last replaced or removed. */
export interface CodeReferenceEndTable {
  organization_id: string;
  project_id: string;
  flag_key: string;
  ended_at: string;
}

export interface CodeReferenceTables {
  code_snapshots: CodeSnapshotTable;
  code_references: CodeReferenceTable;
  code_reference_ends: CodeReferenceEndTable;
}
