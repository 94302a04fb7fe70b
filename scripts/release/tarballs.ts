import { execFileSync } from 'node:child_process';
import { readFileSync, renameSync } from 'node:fs';
import { join } from 'node:path';
import { publint } from 'publint';
import { formatMessage } from 'publint/utils';
import type { PublicPackage } from './public-packages.ts';

const root: string = join(import.meta.dirname, '..', '..');

/** A package as npm publishes it. */
export interface Tarball extends PublicPackage {
  readonly tarball: string;
}

/** Packs the packages into a folder. They must be built. */
export function packAll(packages: readonly PublicPackage[], folder: string): readonly Tarball[] {
  const workspaces = packages.flatMap(({ name }) => ['--workspace', name]);
  const args = ['pack', ...workspaces, '--json', '--ignore-scripts', '--pack-destination', folder];
  const output = execFileSync('npm', args, {
    cwd: root,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  const packed = Object.values(JSON.parse(output) as Record<string, { name: string; filename: string }>);
  return packages.map((each) => {
    const { filename } = packed.find(({ name }) => name === each.name)!;
    return { ...each, tarball: join(folder, filename) };
  });
}

/** What publint finds wrong, with the package's name before it; suggestions do not count. */
export async function findFaults(tarballs: readonly Tarball[]): Promise<readonly string[]> {
  const faults: string[] = [];
  for (const { name, tarball } of tarballs) {
    const bytes = readFileSync(tarball);
    const { messages, pkg } = await publint({
      pack: { tarball: bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength) },
      level: 'warning',
    });
    faults.push(...messages.map((message) => `${name}: ${formatMessage(message, pkg, { color: false })}`));
  }
  return faults;
}

/** Packs the packages into a folder, each under the name of its own folder, such as `sdk-node.tgz`. */
export function packForUsers(packages: readonly PublicPackage[], folder: string): readonly Tarball[] {
  return packAll(packages, folder).map((each) => {
    const tarball = join(folder, `${each.folder}.tgz`);
    renameSync(each.tarball, tarball);
    return { ...each, tarball };
  });
}
