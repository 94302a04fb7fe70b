// Installs packages that only one benchmark or campaign needs, so that an ordinary installation stays small.
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** Installs what the folder's lockfile lists, unless it is installed. Throws if the registry cannot be reached. */
export function installOnDemand(folder) {
  const digest = createHash('sha256')
    .update(readFileSync(join(folder, 'package-lock.json')))
    .digest('hex');
  const stamp = join(folder, 'node_modules', '.installed');
  if (existsSync(stamp) && readFileSync(stamp, 'utf8') === digest) return;
  console.log(`Installing the packages of ${folder} …`);
  const args = ['ci', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error'];
  const { status } = spawnSync('npm', args, {
    cwd: folder,
    stdio: 'inherit',
    shell: process.platform === 'win32',
  });
  if (status !== 0) throw new Error('The packages could not be installed. Is the npm registry reachable?');
  writeFileSync(stamp, digest);
}

// As a command: `node scripts/install-on-demand.mjs <folder> …`
if (import.meta.filename === process.argv[1])
  for (const folder of process.argv.slice(2)) installOnDemand(folder);
