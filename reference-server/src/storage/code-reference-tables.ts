/** The tables of code references. */

/** What a branch of a repository named at one of its revisions. */
export interface CodeSnapshotTable {
  organization_id: string;
  project_id: string;
  id: string;
  repository: string;
  branch: string;
  /** Of the repository: a commit. */
  revision: string;
  url_template: string | null;
  references_count: number;
  /** Different keys among the references. */
  flags_count: number;
  created_by: string | null;
  created_at: string;
  updated_at: string;
}

/** One place of a snapshot that names a flag key. */
export interface CodeReferenceTable {
  organization_id: string;
  project_id: string;
  snapshot_id: string;
  flag_key: string;
  path: string;
  line: number;
  /** 0: not said. */
  column: number;
  context_hash: string | null;
}

/** When a snapshot that named the key was last replaced or removed. */
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
