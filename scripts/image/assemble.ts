/**
 * `assemble.ts <folder>`: collects the root file system of the container image: Node, the libraries that it needs, and
 * the server with its production dependencies from the lockfile. Runs on Debian, also as a stage of `Containerfile`.
 */
import { execFileSync } from 'node:child_process';
import { chmodSync, cpSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { basename, delimiter, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { copyLibraries } from './libraries.ts';

const root: string = join(import.meta.dirname, '..', '..');

/** Not in the image: what only compilers, editors and other platforms read. */
const UNUSED = [
  /\.(d\.[cm]?ts|map|tsbuildinfo|tsx?|cc|cpp|c|h|gyp|gypi)$/,
  /(?<!licen[cs]e|copying|notice)\.(md|markdown)$/i,
  /\/better-sqlite3\/(deps|src|build)$/,
];

if (process.argv[1] === fileURLToPath(import.meta.url)) assemble(process.argv[2]!);

/** Writes the file system into a folder, which is emptied first. The packages must be built. */
export function assemble(folder: string): void {
  rmSync(folder, { recursive: true, force: true });
  const app = join(folder, 'app');
  mkdirSync(app, { recursive: true });
  installDependencies(app);
  for (const name of ['sdk-core', 'reference-server']) copyPackage(name, app);
  const dashboard = join(root, 'dashboard', 'dist');
  if (existsSync(dashboard)) copy(dashboard, join(app, 'reference-server', 'dist', 'dashboard'));
  copy(join(root, 'deploy', 'image', 'health.mjs'), join(app, 'health.mjs'));
  copy(join(root, 'LICENSE'), join(app, 'LICENSE'));

  const node = join(folder, 'usr', 'bin', 'node');
  mkdirSync(dirname(node), { recursive: true });
  cpSync(process.execPath, node, { dereference: true });
  chmodSync(node, 0o755);
  copyLibraries(folder);
  writeUser(folder);
}

/** Installs exactly what the lockfile says the server needs in production. */
function installDependencies(app: string): void {
  const { workspaces } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
    workspaces: string[];
  };
  const manifests = workspaces.map((name) => `${name}/package.json`);
  for (const file of ['package.json', 'package-lock.json', '.npmrc', ...manifests])
    if (existsSync(join(root, file))) copy(join(root, file), join(app, file));
  const options = ['--omit=dev', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error'];
  const scope = ['--workspace=@flagsvc/reference-server', '--include-workspace-root=false'];
  // The image's Node: an older one would leave out optional packages.
  const env = { ...process.env, PATH: `${dirname(process.execPath)}${delimiter}${process.env['PATH']}` };
  const stdio = ['ignore', 'ignore', 'inherit'] as const;
  execFileSync('npm', ['ci', ...options, ...scope], { cwd: app, env, stdio: [...stdio] });
  // The installed packages alone stay: no manifests of the repository, no second copies.
  const installed = join(app, '..', 'installed');
  for (const folder of ['node_modules', 'reference-server/node_modules'])
    if (existsSync(join(app, folder))) copy(join(app, folder), join(installed, folder));
  rmSync(app, { recursive: true });
  cpSync(installed, app, { recursive: true, verbatimSymlinks: true });
  rmSync(installed, { recursive: true });
}

/** Copies what the package publishes and needs at run time. */
function copyPackage(name: string, app: string): void {
  for (const file of ['package.json', 'bin', 'dist', 'LICENSE'])
    if (existsSync(join(root, name, file))) copy(join(root, name, file), join(app, name, file));
}

function copy(from: string, to: string): void {
  cpSync(from, to, { recursive: true, verbatimSymlinks: true, filter: isUsed });
}

function isUsed(path: string): boolean {
  if (UNUSED.some((pattern) => pattern.test(path))) return false;
  const isPrebuilt = basename(dirname(path)) === 'prebuilds';
  return !isPrebuilt || basename(path).startsWith(`${process.platform}-${process.arch}`);
}

/** A user without rights, and the data folder, the only place where it writes. */
function writeUser(folder: string): void {
  const etc = join(folder, 'etc');
  mkdirSync(etc, { recursive: true });
  writeFileSync(join(etc, 'passwd'), 'root:x:0:0:root:/:/none\nflagsvc:x:10001:10001::/data:/none\n');
  writeFileSync(join(etc, 'group'), 'root:x:0:\nflagsvc:x:10001:\n');
  writeFileSync(join(etc, 'nsswitch.conf'), 'hosts: files dns\n');
  mkdirSync(join(folder, 'data'), { mode: 0o750 });
  mkdirSync(join(folder, 'tmp'));
  chmodSync(join(folder, 'tmp'), 0o1777);
}
