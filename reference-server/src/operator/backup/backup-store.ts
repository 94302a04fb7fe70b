import type { Digest } from '../files.ts';

/** A place that keeps backups: a folder or a bucket. */
export interface BackupStore {
  /** The place of a file, for people. */
  placeOf(name: string): string;
  /** A folder for files that are not complete yet. */
  readonly workFolder: string;
  /** The names of all files in the place, in any order. */
  list(): Promise<readonly string[]>;
  has(name: string): Promise<boolean>;
  /** Stores a complete file under a name; takes the work file. Throws Refusal if the name is taken. */
  publish(name: string, workFile: string, digest: Digest): Promise<void>;
  /** Reads what is stored. */
  digestOf(name: string): Promise<Digest>;
  readText(name: string): Promise<string>;
  /** Copies a stored file over an existing local file. */
  fetch(name: string, file: string): Promise<void>;
  remove(name: string): Promise<void>;
}

/** Where a backup is written to, or read from. */
export interface Target {
  readonly store: BackupStore;
  /** The name of one file in the store; undefined if the target is the whole store. */
  readonly file: string | undefined;
}
