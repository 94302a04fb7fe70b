import { copyFileSync, existsSync, linkSync, readdirSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { Refusal } from '../command.ts';
import { digestOfFile, sync } from '../files.ts';
import type { BackupStore } from './backup-store.ts';

/** The errors of file systems that have no hard links. */
const NO_LINKS = new Set(['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS', 'EMLINK']);

/** Keeps backups in a folder, which must exist. A name appears only when its file is complete and on disk. */
export function createFolderStore(folder: string): BackupStore {
  const placeOf = (name: string): string => join(folder, name);
  return {
    placeOf,
    workFolder: folder,
    list: async () => readdirSync(folder),
    has: async (name) => existsSync(placeOf(name)),
    async publish(name, workFile) {
      await sync(workFile);
      place(workFile, placeOf(name));
      await sync(folder);
    },
    digestOf: (name) => digestOfFile(placeOf(name)),
    readText: async (name) => readFileSync(placeOf(name), 'utf8'),
    async fetch(name, file) {
      copyFileSync(placeOf(name), file);
    },
    async remove(name) {
      rmSync(placeOf(name), { force: true });
      await sync(folder);
    },
  };
}

/** Gives a file its name, unless the name is taken: a link, unlike a rename, never replaces a file. */
function place(workFile: string, path: string): void {
  try {
    linkSync(workFile, path);
    rmSync(workFile);
  } catch (error) {
    const { code = '' } = error as NodeJS.ErrnoException;
    if (code === 'EEXIST' || (NO_LINKS.has(code) && existsSync(path))) {
      throw new Refusal(`${path} exists. Choose another name: backups are never overwritten.`);
    }
    if (!NO_LINKS.has(code)) throw error;
    renameSync(workFile, path);
  }
}
