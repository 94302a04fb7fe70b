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
import { type Image, readLayout, toLayout } from './layout.ts';
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
  // A folder rather than an OCI layout, because buildah drops the health check from those.
  const built = join(cache, 'built');
  rmSync(built, { recursive: true, force: true });
  try {
    await call(buildah, [
      ...['build', '--isolation', 'chroot', '--format', 'docker', '--disable-compression=false'],
      ...['--timestamp', `${await commitTime()}`],
      ...['--build-context', `build=${stage}`, '--file', join(root, 'deploy', 'Containerfile')],
      ...['--tag', `dir:${built}`, join(root, 'deploy', 'image')],
    ]);
  } finally {
    rmSync(join(cache, 'storage'), { recursive: true, force: true });
  }
  const layout = join(cache, 'layout');
  toLayout(built, layout, version());
  return { layout, files: join(stage, 'image') };
}

/** Calls buildah with its storage and configuration in our cache. */
async function call({ path, env }: DebianTool, [command, ...args]: readonly string[]): Promise<void> {
  const storage = join(cache, 'storage');
  mkdirSync(storage, { recursive: true });
  const policy = join(storage, 'policy.json');
  const registries = join(storage, 'registries.conf');
  const settings = join(storage, 'storage.conf');
  writeFileSync(policy, '{ "default": [{ "type": "insecureAcceptAnything" }] }');
  writeFileSync(registries, '');
  const folders = [`graphroot = "${join(storage, 'graph')}"`, `runroot = "${join(storage, 'run')}"`];
  writeFileSync(settings, ['[storage]', 'driver = "vfs"', ...folders, ''].join('\n'));
  await run(path, [command!, '--signature-policy', policy, ...args], {
    env: { ...env, CONTAINERS_REGISTRIES_CONF: registries, CONTAINERS_STORAGE_CONF: settings },
  });
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
