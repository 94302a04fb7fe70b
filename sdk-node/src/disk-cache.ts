import { dirname, join } from 'node:path';
import type { Ports, Report, SavedPayload } from '@flagsvc/sdk-core/client';

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
  const name = createHash('sha256').update(identity.join('\n')).digest('hex').slice(0, 32);
  const path = join(folder, `flagsvc-${name}.json`);
  let next: SavedPayload | undefined;
  let isWriting = false;

  const write = async () => {
    isWriting = true;
    // Only the newest is worth writing.
    while (next) {
      const text = JSON.stringify(next);
      next = undefined;
      await writeFileAtomically(path, text).catch((error) => report('CACHE', error.code));
    }
    isWriting = false;
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
