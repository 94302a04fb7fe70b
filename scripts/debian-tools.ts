/**
 * Programs that only tests and the image build need, from Debian's packages. They are unpacked below `node_modules`,
 * not installed. Needs `apt-get` and `dpkg`, but no root rights; apt checks the signatures.
 */
import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);
const CACHE = join(import.meta.dirname, '..', 'node_modules', '.cache', 'debian-tools');

/** The packages of each program, with the libraries that a plain Debian lacks, and its path in them. */
const TOOLS = {
  promtool: { packages: ['prometheus'], path: 'usr/bin/promtool' },
  'redis-server': {
    packages: ['redis-server', 'redis-tools', 'liblzf1', 'libjemalloc2', 'libatomic1'],
    path: 'usr/bin/redis-server',
  },
  'redis-cli': {
    packages: ['redis-server', 'redis-tools', 'liblzf1', 'libjemalloc2', 'libatomic1'],
    path: 'usr/bin/redis-cli',
  },
  kubectl: { packages: ['kubernetes-client'], path: 'usr/bin/kubectl' },
  // Go 1.19; tests use it where no Go is installed.
  go: { packages: ['golang-1.19-go', 'golang-1.19-src'], path: 'usr/lib/go-1.19/bin/go' },
  strace: { packages: ['strace', 'libunwind8'], path: 'usr/bin/strace' },
  // Compose 1 runs on the machine's Python, with the modules of its package.
  'docker-compose': {
    packages: [
      ...['docker-compose', 'libyaml-0-2', 'python3-attr', 'python3-cached-property', 'python3-certifi'],
      ...['python3-chardet', 'python3-distro', 'python3-distutils', 'python3-docker', 'python3-dockerpty'],
      ...['python3-docopt', 'python3-dotenv', 'python3-idna', 'python3-jsonschema', 'python3-packaging'],
      ...['python3-pkg-resources', 'python3-pyrsistent', 'python3-requests', 'python3-six'],
      ...['python3-texttable', 'python3-urllib3', 'python3-websocket', 'python3-yaml'],
    ],
    path: 'usr/bin/docker-compose',
  },
  buildah: {
    packages: ['buildah', 'libgpgme11', 'libassuan0', 'libseccomp2', 'libdevmapper1.02.1'],
    path: 'usr/bin/buildah',
  },
} as const;

export type DebianToolName = keyof typeof TOOLS;

/** A program that can be started: `spawn(path, args, { env })`. */
export interface DebianTool {
  readonly path: string;
  /** This process's environment, with the program's libraries in `LD_LIBRARY_PATH` and `PYTHONPATH`. */
  readonly env: NodeJS.ProcessEnv;
  readonly missing?: never;
}

/** Why a program cannot be had, for the name of a skipped test. */
export interface MissingTool {
  readonly missing: string;
  readonly path?: never;
}

/** Finds a program: in the cache, else from Debian, else on `PATH`. */
export async function debianTool(name: DebianToolName, cache = CACHE): Promise<DebianTool | MissingTool> {
  const { packages, path } = TOOLS[name];
  try {
    const folder = await unpackDebianPackages(packages, cache);
    const libraries = libraryFolders(folder).join(delimiter);
    return { path: join(folder, path), env: withLibraries(libraries, folder) };
  } catch (error) {
    const installed = onPath(name);
    if (installed !== undefined) return { path: installed, env: process.env };
    return { missing: `${name} is not installed, and Debian's packages cannot be had: ${reason(error)}` };
  }
}

/** Unpacks packages into a folder of the cache and returns it. Rejects with apt's message when that fails. */
export async function unpackDebianPackages(packages: readonly string[], cache = CACHE): Promise<string> {
  const digest = createHash('sha256').update(packages.join()).digest('hex').slice(0, 8);
  const target = join(cache, `${packages[0]}-${digest}`);
  if (existsSync(target)) return target;
  mkdirSync(cache, { recursive: true });
  // Tests run at the same time: each unpacks into a folder of its own, and the first rename wins.
  const scratch = mkdtempSync(join(cache, '.unpacking-'));
  try {
    await download(packages, scratch);
    const unpacked = join(scratch, 'root');
    for (const file of readdirSync(scratch).filter((each) => each.endsWith('.deb')))
      await run('dpkg', ['-x', join(scratch, file), unpacked]);
    moveUnlessThere(unpacked, target);
    return target;
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
}

/** Downloads with the machine's package lists or, where they are missing or outdated, with fresh ones of our own. */
async function download(packages: readonly string[], folder: string): Promise<void> {
  const get = (options: readonly string[], args: readonly string[]) =>
    run('apt-get', ['--quiet', ...QUICK, ...options, ...args], { cwd: folder });
  const wanted = ['download', ...packages];
  try {
    await get([], wanted);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') throw error;
    const own = [`Dir::State::lists=${folder}/lists`, `Dir::Cache=${folder}/cache`];
    const options = own.flatMap((option) => ['-o', option]);
    mkdirSync(join(folder, 'lists', 'partial'), { recursive: true });
    mkdirSync(join(folder, 'cache', 'archives', 'partial'), { recursive: true });
    await get(options, ['update']);
    await get(options, wanted);
  }
}

/** Fails soon without a network. Root downloads as root, because apt's own user cannot write to our folder. */
const QUICK = ['Acquire::Retries=1', 'Acquire::http::Timeout=20', 'APT::Sandbox::User=root'].flatMap(
  (option) => ['-o', option],
);

function moveUnlessThere(from: string, to: string): void {
  try {
    renameSync(from, to);
  } catch (error) {
    if (!existsSync(to)) throw error;
  }
}

/** The folders of a Debian root that contain libraries, such as `usr/lib/x86_64-linux-gnu`. */
function libraryFolders(root: string): string[] {
  return ['usr/lib', 'lib']
    .map((folder) => join(root, folder))
    .filter(existsSync)
    .flatMap((folder) => readdirSync(folder).map((name) => join(folder, name)))
    .filter((folder) => folder.endsWith('-linux-gnu'));
}

function withLibraries(libraries: string, folder: string): NodeJS.ProcessEnv {
  const { LD_LIBRARY_PATH: before, ...env } = process.env;
  return {
    ...env,
    LD_LIBRARY_PATH: before ? `${libraries}${delimiter}${before}` : libraries,
    PYTHONPATH: join(folder, 'usr', 'lib', 'python3', 'dist-packages'),
  };
}

function onPath(name: string): string | undefined {
  const folders = (process.env['PATH'] ?? '').split(delimiter).filter(Boolean);
  return folders.map((folder) => join(folder, name)).find(existsSync);
}

/** One line: the command's last line of error output, or the message. */
function reason(error: unknown): string {
  const { stderr, message } = error as Error & { stderr?: string };
  return (stderr?.trim() || message).split('\n').at(-1)!;
}
