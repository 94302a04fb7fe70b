/** A file of an archive. */
export interface TarEntry {
  /** Relative path with slashes, at most 100 ASCII characters. */
  readonly path: string;
  readonly content: Uint8Array;
}

const BLOCK = 512;

/**
 * Writes a tar archive in the ustar format. Owner, mode and time are the same for every file, so that equal entries always
 * give equal bytes. Throws for a path that ustar's name field cannot hold.
 */
export const toTar = (entries: readonly TarEntry[]): Buffer =>
  Buffer.concat([
    ...entries.flatMap(({ path, content }) => [
      headerOf(path, content.length),
      content,
      Buffer.alloc(-content.length & (BLOCK - 1)),
    ]),
    Buffer.alloc(2 * BLOCK),
  ]);

const headerOf = (path: string, size: number): Buffer => {
  if (path.length > 100 || /[^\x20-\x7e]/.test(path))
    throw new Error(`${path} does not fit into a tar header`);
  const header = Buffer.alloc(BLOCK);
  const octal = (value: number, width: number) => `${value.toString(8).padStart(width - 1, '0')}\0`;
  header.write(path, 0);
  header.write(octal(0o644, 8), 100);
  header.write(octal(0, 8), 108);
  header.write(octal(0, 8), 116);
  header.write(octal(size, 12), 124);
  header.write(octal(0, 12), 136);
  // The checksum counts its own field as spaces.
  header.write(' '.repeat(8), 148);
  header.write('0', 156);
  header.write('ustar\x0000', 257);
  const sum = header.reduce((total, byte) => total + byte, 0);
  header.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148);
  return header;
};

/** The files of an archive that `toTar` wrote. */
export const fromTar = (tar: Uint8Array): TarEntry[] => {
  const bytes = Buffer.from(tar.buffer, tar.byteOffset, tar.byteLength);
  const entries: TarEntry[] = [];
  for (let at = 0; bytes[at] !== 0 && at < bytes.length; ) {
    const field = (from: number, to: number) =>
      bytes.toString('latin1', at + from, at + to).replace(/\0.*/s, '');
    const size = Number.parseInt(field(124, 136), 8);
    const start = at + BLOCK;
    entries.push({ path: field(0, 100), content: bytes.subarray(start, start + size) });
    at = start + Math.ceil(size / BLOCK) * BLOCK;
  }
  return entries;
};
