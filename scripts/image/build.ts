/**
 * `npm run image`: builds the container image as an OCI archive, with buildah from Debian and without a base image.
 * Prints its size by part. Needs root or a user namespace, as buildah does.
 */
import { execFile } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { type DebianTool, debianTool } from '../debian-tools.ts';
import { assemble } from './assemble.ts';
import { addHealthCheck, type Image, type ImageConfig, readLayout } from './layout.ts';
import { sizesOf, tableOf } from './sizes.ts';

const run = promisify(execFile);
const root: string = join(import.meta.dirname, '..', '..');
const cache: string = join(root, 'node_modules', '.cache', 'image');
const NAME = 'flagsvc-server';

/** Assembles the file system and builds the last stage of the Containerfile on it. The packages must be built. */
export async function buildImage(): Promise<Image> {
  const buildah = await debianTool('buildah');
  if (buildah.missing !== undefined) throw new Error(buildah.missing);
  // Replaces the Containerfile's stage `build`, which would need an image from a registry.
  const stage = join(cache, 'stage');
  assemble(join(stage, 'image'));
  const layout = join(cache, 'layout');
  const call = createBuildah(buildah);
  rmSync(layout, { recursive: true, force: true });
  try {
    await call('build', [
      ...['--isolation', 'chroot', '--format', 'docker', '--timestamp', `${await commitTime()}`],
      ...['--build-context', `build=${stage}`, '--file', join(root, 'deploy', 'Containerfile')],
      ...['--tag', NAME, join(root, 'deploy', 'image')],
    ]);
    const built = JSON.parse(await call('inspect', ['--type', 'image', NAME])) as { Docker: ImageConfig };
    await call('push', ['--format', 'oci', NAME, `oci:${layout}:${version()}`]);
    // buildah drops the health check from the OCI format; Docker writes and reads it there.
    addHealthCheck(layout, built.Docker.config.Healthcheck!);
    return { layout, files: join(stage, 'image') };
  } finally {
    rmSync(join(cache, 'storage'), { recursive: true, force: true });
  }
}

/** Calls buildah with its storage and configuration in our cache. */
function createBuildah({ path, env }: DebianTool) {
  const storage = join(cache, 'storage');
  mkdirSync(storage, { recursive: true });
  const policy = join(storage, 'policy.json');
  const registries = join(storage, 'registries.conf');
  const settings = join(storage, 'storage.conf');
  writeFileSync(policy, '{ "default": [{ "type": "insecureAcceptAnything" }] }');
  writeFileSync(registries, '');
  const folders = [`graphroot = "${join(storage, 'graph')}"`, `runroot = "${join(storage, 'run')}"`];
  writeFileSync(settings, ['[storage]', 'driver = "vfs"', ...folders, ''].join('\n'));
  return async (command: string, args: readonly string[]): Promise<string> => {
    const checked = command === 'inspect' ? [] : ['--signature-policy', policy];
    const { stdout } = await run(path, [command, ...checked, ...args], {
      env: { ...env, CONTAINERS_REGISTRIES_CONF: registries, CONTAINERS_STORAGE_CONF: settings },
    });
    return stdout;
  };
}

/** The time of the last commit in seconds, as the time of every file, so that equal sources give equal layers. */
async function commitTime(): Promise<number> {
  const { stdout } = await run('git', ['log', '-1', '--format=%ct'], { cwd: root });
  return Number(stdout);
}

/** Writes the layout into one file, which registries and container engines read. */
async function pack({ layout }: Image): Promise<string> {
  const folder = join(root, 'dist');
  mkdirSync(folder, { recursive: true });
  const { architecture } = readLayout(layout).config;
  const archive = join(folder, `${NAME}-${version()}-${architecture}.oci.tar`);
  if (existsSync(archive)) rmSync(archive);
  await run('tar', ['-cf', archive, '-C', layout, '.']);
  return archive;
}

function version(): string {
  const text = readFileSync(join(root, 'reference-server', 'package.json'), 'utf8');
  return (JSON.parse(text) as { version: string }).version;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const image = await buildImage();
  const archive = await pack(image);
  console.log(tableOf(sizesOf(image)));
  console.log(
    `\nThe image is ${archive}. Load it with \`podman load\` or \`docker load\`, or push it with skopeo.`,
  );
}
