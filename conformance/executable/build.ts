/**
 * `npm run conformance:executable`: builds the kit as single executables for Linux, each of them Node with the kit and
 * the suite inside. They run on machines without Node. `--arch x64,arm64` chooses the architectures, `--out` the folder.
 */
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { gzipSync } from 'node:zlib';
import { build } from 'esbuild';
import { packSuite } from '../src/commands/archive.ts';

const root: string = join(import.meta.dirname, '..', '..');
/** The mark in Node's own binary that says where its program is. */
const FUSE = 'NODE_SEA_FUSE_fce680ab2cc467b6e072b8b5df1996b2';

const { values } = parseArgs({
  options: {
    arch: { type: 'string', default: 'x64,arm64' },
    out: { type: 'string', default: join(root, 'dist') },
  },
});
const scratch: string = mkdtempSync(join(tmpdir(), 'flagsvc-executable-'));
try {
  mkdirSync(values.out, { recursive: true });
  const blob = await makeBlob();
  for (const arch of values.arch.split(',')) makeExecutable(arch, blob);
} finally {
  rmSync(scratch, { recursive: true, force: true });
}

/** The program and the suite, in the form that Node reads. It holds no machine code, so it suits every architecture. */
async function makeBlob(): Promise<string> {
  const bundle = join(scratch, 'main.cjs');
  await build({
    entryPoints: [join(import.meta.dirname, 'main.ts')],
    outfile: bundle,
    bundle: true,
    platform: 'node',
    target: 'node24',
    format: 'cjs',
    minify: true,
    // `ws` tries to load these and does without them.
    external: ['bufferutil', 'utf-8-validate'],
    // The executable names the suite's directory itself.
    define: { 'import.meta.url': '"file:///executable"' },
    logLevel: 'warning',
  });
  const suite = join(scratch, 'suite.tar.gz');
  writeFileSync(suite, packSuite().packed);
  const output = join(scratch, 'program.blob');
  const config = join(scratch, 'sea.json');
  writeFileSync(
    config,
    JSON.stringify({
      main: bundle,
      output,
      disableExperimentalSEAWarning: true,
      assets: { 'suite.tar.gz': suite },
    }),
  );
  execFileSync(process.execPath, ['--experimental-sea-config', config], {
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  return output;
}

function makeExecutable(arch: string, blob: string): void {
  const file = join(values.out, `flagsvc-conformance-linux-${arch}`);
  copyFileSync(findNode(arch), file);
  chmodSync(file, 0o755);
  const postject = join(root, 'node_modules', 'postject', 'dist', 'cli.js');
  // It prints hundreds of harmless warnings about the sections of Node's binary.
  execFileSync(process.execPath, [postject, file, 'NODE_SEA_BLOB', blob, '--sentinel-fuse', FUSE], {
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  const bytes = readFileSync(file);
  const hash = createHash('sha256').update(bytes).digest('hex');
  writeFileSync(`${file}.sha256`, `${hash}  flagsvc-conformance-linux-${arch}\n`);
  const megabytes = (count: number) => (count / 1e6).toFixed(1);
  console.log(`${file}: ${megabytes(bytes.length)} MB, ${megabytes(gzipSync(bytes).length)} MB compressed`);
  console.log(`sha256 ${hash}`);
}

/** Node for the architecture, in the version that package.json names: installed, or from the registry. */
function findNode(arch: string): string {
  const name = `node-linux-${arch}`;
  const installed = join(root, 'node_modules', name, 'bin', 'node');
  if (existsSync(installed)) return installed;
  const { optionalDependencies } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  const version = optionalDependencies[name];
  if (version === undefined) throw new Error(`--arch ${arch}: it is x64 or arm64`);
  execFileSync('npm', ['pack', '--pack-destination', scratch, `${name}@${version}`], {
    cwd: scratch,
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  execFileSync('tar', ['-xzf', join(scratch, `${name}-${version}.tgz`), '-C', scratch]);
  return join(scratch, 'package', 'bin', 'node');
}
