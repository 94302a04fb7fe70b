// What stands between a fresh clone and every command: dependencies that match the lockfile. Runs on whatever
// Node the machine has, so it is plain JavaScript without dependencies.
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const root = dirname(dirname(fileURLToPath(import.meta.url)));
/** The Node that the repository brings along; the machine's own may be too old. */
export const node = join(root, 'node_modules', '.bin', process.platform === 'win32' ? 'node.cmd' : 'node');

const stamp = join(root, 'node_modules', '.flagsvc-install');

/** Installs what the lockfile says, unless it is installed already. */
export function ensureInstalled() {
  const wanted = createHash('sha256')
    .update(readFileSync(join(root, 'package-lock.json')))
    .digest('hex');
  if (existsSync(node) && existsSync(stamp) && readFileSync(stamp, 'utf8') === wanted) return;
  // `npm ci` begins by removing what is there, which a program that is running may be using.
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
      'The dependencies could not be installed. Is the npm registry reachable? Then try `npm install` by hand.',
    );
    process.exit(status ?? 1);
  }
  writeFileSync(stamp, wanted);
}
