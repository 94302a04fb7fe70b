import { mkdir, readFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { writeFileAtomically } from '@flagsvc/sdk-node/atomic-file';

/** A file that holds one JSON value and is always replaced as a whole. */
export interface JsonFile {
  /** The value; undefined when the file does not exist, cannot be read, or is not JSON. */
  read(): Promise<unknown>;
  /** Replaces the file in the background. If several values come during a write, only the last one is written. */
  write(value: unknown): void;
  /** Resolves when nothing is left to write. */
  settled(): Promise<void>;
}

/** A client's answer waits this long for files, because a disk may fail without an error. */
export const SAVE_LIMIT_MS = 2_000;

/** `onFault` receives every fault except the absence of the file. */
export function createJsonFile(path: string, onFault: (error: unknown) => void): JsonFile {
  let next: { readonly value: unknown } | undefined;
  let writing: Promise<void> | undefined;

  const writeAll = async (): Promise<void> => {
    while (next !== undefined) {
      const text = JSON.stringify(next.value);
      next = undefined;
      try {
        await mkdir(dirname(path), { recursive: true, mode: 0o700 });
        await writeFileAtomically(path, text);
      } catch (error) {
        onFault(error);
      }
    }
    writing = undefined;
  };

  return {
    async read() {
      try {
        return JSON.parse(await readFile(path, 'utf8'));
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== 'ENOENT') onFault(error);
        return undefined;
      }
    },
    write(value) {
      next = { value };
      writing ??= writeAll();
    },
    async settled() {
      await writing;
    },
  };
}
