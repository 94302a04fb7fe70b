/** The sizes of an image, by part. */
import { lstatSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { type Image, readLayout } from './layout.ts';

const MB = 1_000_000;

export interface Sizes {
  /** Bytes of the files, by part. */
  readonly parts: Readonly<Record<string, number>>;
  readonly unpacked: number;
  /** Bytes of the layers, as a registry stores them. */
  readonly compressed: number;
}

/** What belongs to each part, by the beginning of the path. */
const PARTS = [
  ['Node.js', /^usr\/bin\//],
  ['libraries of Debian', /^(lib|lib64|usr|var)\//],
  ['dependencies', /^app\/.*node_modules\//],
  ['dashboard', /^app\/reference-server\/dist\/dashboard\//],
  ['relay', /^app\/relay-proxy\//],
  ['server', /^app\//],
  ['other', /^/],
] as const;

export function sizesOf({ files, layout }: Image): Sizes {
  const parts: Record<string, number> = {};
  for (const path of readdirSync(files, { recursive: true, encoding: 'utf8' })) {
    const stat = lstatSync(join(files, path));
    if (!stat.isFile()) continue;
    const [name] = PARTS.find(([, pattern]) => pattern.test(path))!;
    parts[name] = (parts[name] ?? 0) + stat.size;
  }
  const unpacked = Object.values(parts).reduce((sum, size) => sum + size, 0);
  const { layers } = readLayout(layout).manifest;
  return { parts, unpacked, compressed: layers.reduce((sum, { size }) => sum + size, 0) };
}

/** A table for people, in megabytes of 1,000,000 bytes. */
export function tableOf({ parts, unpacked, compressed }: Sizes): string {
  const rows = Object.entries(parts).sort(([, a], [, b]) => b - a);
  return [...rows, ['unpacked', unpacked] as const, ['compressed', compressed] as const]
    .map(([name, size]) => `${name.padEnd(20)} ${(size / MB).toFixed(1).padStart(7)} MB`)
    .join('\n');
}
