// Installs the dependencies of the lockfile before any other script. Plain JavaScript without dependencies, because it
// runs on the machine's own Node.
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const root = dirname(dirname(fileURLToPath(import.meta.url)));
/** The Node from the dependencies; the machine's own may be too old. */
export const node = join(root, 'node_modules', '.bin', process.platform === 'win32' ? 'node.cmd' : 'node');

const stamp = join(root, 'node_modules', '.flagsvc-install');

/** Installs the dependencies unless they match the lockfile already. Exits the process on failure. */
export function ensureInstalled() {
  const wanted = createHash('sha256')
    .update(readFileSync(join(root, 'package-lock.json')))
    .digest('hex');
  if (existsSync(node) && existsSync(stamp) && readFileSync(stamp, 'utf8') === wanted) return;
  // `npm ci` would first delete node_modules, which a running program may be using.
  const command = existsSync(node) ? 'install' : 'ci';
  console.log(`Installing dependencies (npm ${command}) …`);
  const args = [command, '--no-audit', '--no-fund', '--loglevel=error'];
  const { status } = spawnSync('npm', args, {
    cwd: root,
    stdio: ['ignore', 'ignore', 'inherit'],
    shell: process.platform === 'win32',
  });
  if (status !== 0) {
    console.error(
      'The dependencies could not be installed. Check that the npm registry is reachable, then run `npm install`.',
    );
    process.exit(status ?? 1);
  }
  writeFileSync(stamp, wanted);
}
