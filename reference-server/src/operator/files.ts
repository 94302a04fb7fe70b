import { createHash } from 'node:crypto';
import { createReadStream, existsSync, mkdirSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { dirname } from 'node:path';

/** The size of a content and its SHA-256 in hex. */
export interface Digest {
  readonly bytes: number;
  readonly sha256: string;
}

export async function digestOf(content: AsyncIterable<Uint8Array>): Promise<Digest> {
  const hash = createHash('sha256');
  let bytes = 0;
  for await (const chunk of content) {
    hash.update(chunk);
    bytes += chunk.length;
  }
  return { bytes, sha256: hash.digest('hex') };
}

export const digestOfFile = (path: string): Promise<Digest> => digestOf(createReadStream(path));

export function isSameDigest(one: Digest, other: Digest): boolean {
  return one.bytes === other.bytes && one.sha256 === other.sha256;
}

/** Waits until the file's content, or the folder's entries, are on disk. */
export async function sync(path: string): Promise<void> {
  const handle = await open(path, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/**
 * Creates a folder and its missing parents, which only this user can read. Node's own recursive `mkdir` never ends where
 * the file system answers ENOENT for an existing parent, as `/proc` does.
 */
export function makeFolder(path: string): void {
  if (existsSync(path)) return;
  makeFolder(dirname(path));
  mkdirSync(path, { mode: 0o700 });
}
