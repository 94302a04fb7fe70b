/** Reads and writes an image in the OCI image layout: a folder of blobs that are named by their hashes. */
import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** A built image. */
export interface Image {
  /** A folder in the OCI image layout. */
  readonly layout: string;
  /** The file system of its layers, as assembled. */
  readonly files: string;
}

/** A reference to a blob. */
export interface Descriptor {
  readonly mediaType: string;
  readonly digest: string;
  readonly size: number;
}

/** Times are in nanoseconds. */
export interface HealthCheck {
  readonly Test: readonly string[];
  readonly Interval?: number;
  readonly Timeout?: number;
  readonly StartPeriod?: number;
  readonly Retries?: number;
}

export interface ImageConfig {
  readonly architecture: string;
  readonly config: {
    readonly User?: string;
    readonly Env?: readonly string[];
    readonly Entrypoint?: readonly string[];
    readonly WorkingDir?: string;
    readonly Volumes?: Readonly<Record<string, unknown>>;
    readonly Healthcheck?: HealthCheck;
  };
}

interface Manifest {
  readonly config: Descriptor;
  readonly layers: readonly Descriptor[];
}

interface Index {
  readonly manifests: readonly Descriptor[];
}

/** The only image of a layout. */
export function readLayout(folder: string): { readonly manifest: Manifest; readonly config: ImageConfig } {
  const index = readJson<Index>(join(folder, 'index.json'));
  const manifest = readJson<Manifest>(blobPath(folder, index.manifests[0]!));
  return { manifest, config: readJson<ImageConfig>(blobPath(folder, manifest.config)) };
}

/** The file of a blob. */
export function blobPath(folder: string, { digest }: Descriptor): string {
  return join(folder, 'blobs', ...digest.split(':'));
}

const OCI = 'application/vnd.oci.image';

/** Moves an image from the folder that buildah writes for `dir:` into a layout. Keeps the health check. */
export function toLayout(built: string, folder: string, tag: string): void {
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(join(folder, 'blobs', 'sha256'), { recursive: true });
  const { config, layers } = readJson<Manifest>(join(built, 'manifest.json'));
  const move = (blob: Descriptor, type: string): Descriptor => {
    renameSync(join(built, blob.digest.split(':')[1]!), blobPath(folder, blob));
    return { ...blob, mediaType: `${OCI}.${type}` };
  };
  const manifest = {
    schemaVersion: 2,
    mediaType: `${OCI}.manifest.v1+json`,
    config: move(config, 'config.v1+json'),
    layers: layers.map((layer) => move(layer, 'layer.v1.tar+gzip')),
  };
  const bytes = Buffer.from(JSON.stringify(manifest));
  const digest = `sha256:${createHash('sha256').update(bytes).digest('hex')}`;
  const descriptor = { mediaType: manifest.mediaType, digest, size: bytes.length };
  writeFileSync(blobPath(folder, descriptor), bytes);
  const annotations = { 'org.opencontainers.image.ref.name': tag };
  const index = { schemaVersion: 2, manifests: [{ ...descriptor, annotations }] };
  writeFileSync(join(folder, 'index.json'), JSON.stringify(index));
  writeFileSync(join(folder, 'oci-layout'), JSON.stringify({ imageLayoutVersion: '1.0.0' }));
}

function readJson<T>(path: string): T {
  return JSON.parse(readFileSync(path, 'utf8')) as T;
}
