import { eventsNameOf, manifestedBackups } from './backup-names.ts';
import type { BackupStore } from './backup-store.ts';
import { type Manifest, manifestNameOf, parseManifest } from './manifest.ts';

interface Retention {
  /** The number of backups to keep. */
  readonly keep: number;
  readonly apiSecretKey: string;
  /** Only backups of this installation are deleted. */
  readonly installation: string;
}

/**
 * Deletes all but the newest backups of an installation. Files without a valid manifest stay, and so do backups of other
 * installations. Returns the names of the deleted backups.
 */
export async function deleteOldBackups(
  store: BackupStore,
  { keep, apiSecretKey, installation }: Retention,
): Promise<string[]> {
  const own: string[] = [];
  for (const file of manifestedBackups(await store.list())) {
    const manifest = await readManifest(store, file, apiSecretKey);
    if (manifest?.installation === installation) own.push(file);
  }
  const old = own.slice(keep);
  for (const file of old) {
    // The manifest goes last: after an interruption, the next run finds it and continues.
    await store.remove(file);
    await store.remove(eventsNameOf(file));
    await store.remove(manifestNameOf(file));
  }
  return old;
}

async function readManifest(
  store: BackupStore,
  file: string,
  apiSecretKey: string,
): Promise<Manifest | undefined> {
  try {
    return parseManifest(await store.readText(manifestNameOf(file)), apiSecretKey);
  } catch {
    return undefined;
  }
}
