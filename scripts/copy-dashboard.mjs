// Copies the built dashboard into the server's package, which serves it, with a compressed copy of each text file.
import { cpSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';

/** Smaller files fit into one packet anyway. */
const COMPRESSED_BYTES_MIN = 1_024;

/** Replaces the folder `to` by the files of `from`. Leaves out hidden files, such as Vite's manifest. */
export function copyDashboard(from, to) {
  rmSync(to, { recursive: true, force: true });
  cpSync(from, to, { recursive: true, filter: (path) => path === from || !basename(path).startsWith('.') });
  const files = readdirSync(to, { recursive: true }).map((file) => join(to, file));
  for (const file of files.filter(isCompressible)) {
    const content = readFileSync(file);
    const params = { [constants.BROTLI_PARAM_SIZE_HINT]: content.length };
    writeFileSync(`${file}.br`, brotliCompressSync(content, { params }));
    writeFileSync(`${file}.gz`, gzipSync(content, { level: 9 }));
  }
}

/** `index.html` is not: the server changes it for each answer. */
function isCompressible(file) {
  return /\.(js|css|svg|json)$/.test(file) && statSync(file).size >= COMPRESSED_BYTES_MIN;
}
