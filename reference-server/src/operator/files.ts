import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { open } from 'node:fs/promises';

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
