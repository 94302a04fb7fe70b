/** The program of the single executable: unpacks the suite that it contains, once, and runs the command line. */
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { getRawAsset } from 'node:sea';
import { gunzipSync } from 'node:zlib';
import { cacheDirectory } from '../src/commands/cache-directory.ts';
import { main } from '../src/commands/cli.ts';
import { useSuiteDirectory } from '../src/suite/suite.ts';
import { fromTar } from '../src/suite/tar.ts';

/** Unpacks the suite below the folder, unless an earlier start has done so, and returns its directory. */
const unpackSuite = (folder: string): string => {
  const packed = new Uint8Array(getRawAsset('suite.tar.gz') as ArrayBuffer);
  const target = join(folder, `suite-${createHash('sha256').update(packed).digest('hex').slice(0, 24)}`);
  if (existsSync(target)) return target;
  mkdirSync(folder, { recursive: true });
  // Several processes may start at once: each unpacks into a folder of its own, and the first rename wins.
  const scratch = mkdtempSync(join(folder, 'unpacking-'));
  try {
    for (const { path, content } of fromTar(gunzipSync(packed))) {
      // Each path begins with a folder that is named after the version.
      const file = join(scratch, path.slice(path.indexOf('/') + 1));
      mkdirSync(dirname(file), { recursive: true });
      writeFileSync(file, content);
    }
    try {
      renameSync(scratch, target);
    } catch (error) {
      if (!existsSync(target)) throw error;
    }
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
  return target;
};

const start = (): string => {
  try {
    return unpackSuite(cacheDirectory());
  } catch {
    // A build machine may have no home directory that can be written.
    return unpackSuite(join(tmpdir(), `flagsvc-conformance-${process.getuid?.() ?? 'user'}`));
  }
};

useSuiteDirectory(start());
main(process.argv.slice(2)).then((code) => {
  process.exitCode = code;
});
