/**
 * `assemble.ts <folder>`: collects the root file system of the container image: Node, the libraries that it needs,
 * the server with its production dependencies from the lockfile, and the relay. Runs on Debian, also as a stage of `Containerfile`.
 */
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { basename, delimiter, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { copyLibraries } from './libraries.ts';

const root: string = join(import.meta.dirname, '..', '..');
/** Installed dependencies, in a folder that is named after what they are installed from. */
const cache: string = join(root, 'node_modules', '.cache', 'image', 'dependencies');

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
  const installed = installDependencies();
  for (const modules of ['node_modules', 'reference-server/node_modules'])
    if (existsSync(join(installed, modules))) copy(join(installed, modules), join(app, modules));
  for (const name of ['sdk-core', 'reference-server', 'relay-proxy']) copyPackage(name, app);
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

/** Installs exactly what the lockfile says the server needs in production, unless the cache has it. Returns the folder. */
function installDependencies(): string {
  const { workspaces } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
    workspaces: string[];
  };
  const files = [
    'package.json',
    'package-lock.json',
    '.npmrc',
    ...workspaces.map((name) => `${name}/package.json`),
  ];
  const present = files.filter((file) => existsSync(join(root, file)));
  const name = digestOf(present);
  const installed = join(cache, name);
  if (existsSync(installed)) return installed;
  mkdirSync(cache, { recursive: true });
  for (const outdated of readdirSync(cache)) rmSync(join(cache, outdated), { recursive: true });
  // The folder gets its name when it is complete.
  const scratch = mkdtempSync(join(cache, '.installing-'));
  for (const file of present) copy(join(root, file), join(scratch, file));
  const options = ['--omit=dev', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error'];
  const scope = ['--workspace=@flagsvc/reference-server', '--include-workspace-root=false'];
  // The image's Node: an older one would leave out optional packages.
  const env = { ...process.env, PATH: `${dirname(process.execPath)}${delimiter}${process.env['PATH']}` };
  const stdio = ['ignore', 'ignore', 'inherit'] as const;
  execFileSync('npm', ['ci', ...options, ...scope], { cwd: scratch, env, stdio: [...stdio] });
  renameSync(scratch, installed);
  return installed;
}

/** Names what the dependencies depend on: the manifests, the platform and the version of Node. */
function digestOf(files: readonly string[]): string {
  const hash = createHash('sha256').update([process.platform, process.arch, process.version].join());
  for (const file of files) hash.update(`\0${file}\0`).update(readFileSync(join(root, file)));
  return hash.digest('hex').slice(0, 16);
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
