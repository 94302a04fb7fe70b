/** The packages that a release publishes, in an order in which each one's dependencies come first. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { order } from '../packages.mjs';

const root: string = join(import.meta.dirname, '..', '..');

export interface PublicPackage {
  readonly name: string;
  readonly version: string;
  readonly folder: string;
}

export function publicPackages(): readonly PublicPackage[] {
  return order
    .map((folder) => ({ folder, ...readManifest(folder) }))
    .filter(({ private: isPrivate }) => !isPrivate)
    .map(({ folder, name, version }) => ({ folder, name, version }));
}

function readManifest(folder: string): { name: string; version: string; private?: boolean } {
  return JSON.parse(readFileSync(join(root, folder, 'package.json'), 'utf8'));
}
