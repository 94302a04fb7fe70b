/** The entry point for programs that keep rulesets on disk, such as a relay. */
import { dirname } from 'node:path';

/**
 * Replaces a file atomically: writes a draft, forces it to disk, then renames it. After an interruption at any point, a
 * reader finds either the old text or the new one. Only the owner can read the file.
 */
export const writeFileAtomically = async (path: string, text: string): Promise<void> => {
  const { open, rename, rm } = await import('node:fs/promises');
  // Named by a UUID, because threads share a process id, and processes in different containers can have the same one.
  const draft = `${path}.${crypto.randomUUID()}.tmp`;
  try {
    const file = await open(draft, 'wx', 0o600);
    try {
      await file.writeFile(text);
      await file.sync();
    } finally {
      await file.close();
    }
    await rename(draft, path);
    const folder = await open(dirname(path), 'r');
    // The rename reaches the disk only when the folder is forced to disk.
    await folder.sync().finally(() => folder.close());
  } catch (error) {
    await rm(draft, { force: true });
    throw error;
  }
};
