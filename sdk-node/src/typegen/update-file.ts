import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';

/** The text of the file, and whether it equals `text`. Editors and Git may have changed the line endings. */
export const compareFile = async (
  file: string,
  text: string,
): Promise<{ before: string | undefined; isSame: boolean }> => {
  const before = await readFile(file, 'utf8').catch(() => undefined);
  return { before, isSame: before?.replaceAll('\r\n', '\n') === text };
};

/** Writes the file, with its folder, unless it has this text. Resolves to true if it was written. */
export const updateFile = async (file: string, text: string): Promise<boolean> => {
  if ((await compareFile(file, text)).isSame) return false;
  await mkdir(dirname(file), { recursive: true });
  await writeFile(file, text);
  return true;
};
