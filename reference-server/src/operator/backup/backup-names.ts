import { fileOfManifest } from './manifest.ts';

const PREFIX = 'flagsvc-';
const PATTERN = /^flagsvc-\d{8}T\d{6}\.\d{3}Z\.db$/;

/** The name of a backup in a folder, such as `flagsvc-20261123T192559.123Z.db`; names sort by time. */
export function backupNameAt(ms: number): string {
  return `${PREFIX}${new Date(ms).toISOString().replaceAll(/[-:]/g, '')}.db`;
}

/** The name of the file with the events of a backup: `flagsvc-….events.db` beside `flagsvc-….db`. */
export function eventsNameOf(name: string): string {
  return name.replace(/(?=\.(db|sqlite3?)$)/, '.events');
}

/** The complete backups among the names in a folder, newest first. A backup without a manifest is incomplete. */
export function completeBackups(names: readonly string[]): string[] {
  const present = new Set(names);
  return manifestedBackups(names).filter((file) => present.has(file));
}

/** The files of all manifests among the names, newest first. */
export function manifestedBackups(names: readonly string[]): string[] {
  return names
    .map((name) => fileOfManifest(name))
    .filter((file) => file !== undefined)
    .filter((file) => PATTERN.test(file))
    .sort()
    .reverse();
}
