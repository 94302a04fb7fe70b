import { dirname, join } from 'node:path';
import { type Ports, type Report, type SavedPayload, toJson } from '@flagsvc/sdk-core/client';

/**
 * Replaces a file as a whole: written aside, forced to disk, then renamed. Whatever stops it, a reader finds the old
 * text or the new one. Readable by the owner only.
 */
export const writeFileAtomically = async (path: string, text: string): Promise<void> => {
  const { open, rename, rm } = await import('node:fs/promises');
  // Threads share the number of their process, and containers that of their first.
  const aside = `${path}.${crypto.randomUUID()}.tmp`;
  try {
    const file = await open(aside, 'wx', 0o600);
    try {
      await file.writeFile(text);
      await file.sync();
    } finally {
      await file.close();
    }
    await rename(aside, path);
    const folder = await open(dirname(path), 'r');
    // The rename itself is on disk only when the folder is.
    await folder.sync().finally(() => folder.close());
  } catch (error) {
    await rm(aside, { force: true });
    throw error;
  }
};

/** No write takes longer: its writer was killed. */
const ABANDONED_MS = 3_600_000;

/** Removes what was written aside of this file and never took its place. */
const sweep = async (folder: string, name: string): Promise<void> => {
  const { readdir, rm, stat } = await import('node:fs/promises');
  for (const file of await readdir(folder)) {
    if (!file.startsWith(`${name}.`)) continue;
    const path = join(folder, file);
    if (Date.now() - (await stat(path)).mtimeMs > ABANDONED_MS) await rm(path, { force: true });
  }
};

/** Keeps the last good ruleset of one key and address in a file of the folder. What goes wrong is only reported. */
export const createDiskCache = (
  folder: string,
  identity: readonly string[],
  report: Report,
): Pick<Ports, 'saved' | 'save'> => {
  // Not imported above: who keeps nothing on disk need not wait for them to load.
  const { createHash } = process.getBuiltinModule('node:crypto');
  const { mkdirSync, readFileSync } = process.getBuiltinModule('node:fs');
  // The name shows neither key nor address.
  const hash = createHash('sha256').update(identity.join('\n')).digest('hex').slice(0, 32);
  const name = `flagsvc-${hash}.json`;
  const path = join(folder, name);
  let next: SavedPayload | undefined;
  let isWriting = false;

  const write = async () => {
    isWriting = true;
    // Only the newest is worth writing.
    while (next) {
      const text = toJson(next);
      next = undefined;
      await writeFileAtomically(path, text).catch((error) => report('CACHE', error.code));
    }
    isWriting = false;
    // What cannot be removed harms nobody.
    sweep(folder, name).catch(() => {});
  };
  const load = (): SavedPayload | undefined => {
    try {
      mkdirSync(folder, { recursive: true });
      const { data, tag } = JSON.parse(readFileSync(path, 'utf8'));
      // One that a header cannot carry, after a fault of the disk, would stop every fetch from then on.
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
