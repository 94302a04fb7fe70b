import { completeBackups } from '../backup/backup-names.ts';
import type { BackupStore } from '../backup/backup-store.ts';
import { type Manifest, manifestNameOf, parseManifest } from '../backup/manifest.ts';
import { openTarget } from '../backup/target.ts';
import { type OperatorContext, Refusal } from '../command.ts';

/** A backup in its store. */
export interface FoundBackup {
  readonly store: BackupStore;
  readonly name: string;
  /** Undefined if the operator accepted a file without one. */
  readonly manifest: Manifest | undefined;
}

export interface SourceOptions {
  /** A backup, or a place with backups, of which the newest complete one is taken. */
  readonly source: string;
  /** Accept a file without a manifest, such as a copy made by another program. */
  readonly withoutManifest: boolean;
}

/** Finds a backup and verifies its manifest. Throws Refusal if there is none, or if the manifest is not ours. */
export async function findBackup(
  context: OperatorContext,
  workFolder: string,
  { source, withoutManifest }: SourceOptions,
): Promise<FoundBackup> {
  const { store, file } = await openTarget(source, { context, workFolder, creates: false });
  const name = file ?? (await newestOf(store, source));
  if (!(await store.has(name))) throw new Refusal(`${store.placeOf(name)} does not exist.`);
  if (withoutManifest) return { store, name, manifest: undefined };
  const manifestName = manifestNameOf(name);
  if (!(await store.has(manifestName))) {
    throw new Refusal(
      `${store.placeOf(name)} has no manifest: its backup was interrupted, or another program made it. To restore it anyway, add --without-manifest; only its integrity is checked then.`,
    );
  }
  const manifest = parseManifest(await store.readText(manifestName), context.apiSecretKey);
  return { store, name, manifest };
}

async function newestOf(store: BackupStore, source: string): Promise<string> {
  const [newest] = completeBackups(await store.list());
  if (newest !== undefined) return newest;
  throw new Refusal(
    `${source} contains no complete backup. Name a folder that backups were written to, or a file.`,
  );
}
