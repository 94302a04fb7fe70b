import { join } from 'node:path';
import { type Report, type SavedPayload, toJson } from '@flagsvc/sdk-core/client';
import { writeFileAtomically } from '../atomic-file.ts';

/** Stores the last good ruleset of one key and address in a file. Faults are reported and never thrown. */
export interface DiskCache {
  /** The payload that was in the file when the cache was opened. */
  readonly saved: SavedPayload | undefined;
  /** Writes in the background. */
  save(payload: SavedPayload): void;
}

/** No write takes longer than this, so the writer of an older draft was killed. */
const ABANDONED_MS = 3_600_000;

/** Removes drafts of this file whose writers were killed. */
const removeAbandonedDrafts = async (folder: string, name: string): Promise<void> => {
  const { readdir, rm, stat } = await import('node:fs/promises');
  for (const file of await readdir(folder)) {
    if (!file.startsWith(`${name}.`)) continue;
    const path = join(folder, file);
    if (Date.now() - (await stat(path)).mtimeMs > ABANDONED_MS) await rm(path, { force: true });
  }
};

/** Opens the cache of one identity (key and address), creating the folder if needed. */
export const createDiskCache = (folder: string, identity: readonly string[], report: Report): DiskCache => {
  // Loaded here, because clients without a cache start faster without these modules.
  const { createHash } = process.getBuiltinModule('node:crypto');
  const { mkdirSync, readFileSync } = process.getBuiltinModule('node:fs');
  // A hash, so that the name shows neither key nor address.
  const hash = createHash('sha256').update(identity.join('\n')).digest('hex').slice(0, 32);
  const name = `flagsvc-${hash}.json`;
  const path = join(folder, name);
  let next: SavedPayload | undefined;
  let isWriting = false;

  const write = async () => {
    isWriting = true;
    // If several payloads arrive during a write, only the last one is written.
    while (next) {
      const text = toJson(next);
      next = undefined;
      await writeFileAtomically(path, text).catch((error) => report('CACHE', error.code));
    }
    isWriting = false;
    // A draft that cannot be removed does no harm.
    removeAbandonedDrafts(folder, name).catch(() => {});
  };
  const load = (): SavedPayload | undefined => {
    try {
      mkdirSync(folder, { recursive: true });
      const { data, tag } = JSON.parse(readFileSync(path, 'utf8'));
      // A tag that is not allowed in a header, perhaps after a disk fault, would make every fetch fail.
      return { data, tag: typeof tag === 'string' && /^[!-~]+$/.test(tag) ? tag : null };
    } catch (error) {
      const { code = 'not JSON' } = error as NodeJS.ErrnoException;
      if (code !== 'ENOENT') report('CACHE', code);
      return;
    }
  };
  return {
    saved: load(),
    save(payload) {
      next = payload;
      if (!isWriting) write();
    },
  };
};
