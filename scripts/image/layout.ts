/** Reads and changes an image in the OCI image layout: a folder of blobs that are named by their hashes. */
import { createHash } from 'node:crypto';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
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

/** Adds a health check to the image's configuration, which changes the names of its manifest and configuration. */
export function addHealthCheck(folder: string, check: HealthCheck): void {
  const index = readJson<Index>(join(folder, 'index.json'));
  const [old] = index.manifests;
  const { manifest, config } = readLayout(folder);
  const withCheck = { ...config, config: { ...config.config, Healthcheck: check } };
  const newConfig = replaceBlob(folder, manifest.config, withCheck);
  const newManifest = replaceBlob(folder, old!, { ...manifest, config: newConfig });
  writeFileSync(join(folder, 'index.json'), JSON.stringify({ ...index, manifests: [newManifest] }));
}

function replaceBlob(folder: string, old: Descriptor, content: unknown): Descriptor {
  const bytes = Buffer.from(JSON.stringify(content));
  const digest = `sha256:${createHash('sha256').update(bytes).digest('hex')}`;
  rmSync(blobPath(folder, old));
  const descriptor = { ...old, digest, size: bytes.length };
  writeFileSync(blobPath(folder, descriptor), bytes);
  return descriptor;
}

function readJson<T>(path: string): T {
  return JSON.parse(readFileSync(path, 'utf8')) as T;
}
