import { execFileSync, type StdioOptions } from 'node:child_process';
import { copyFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const root: string = join(import.meta.dirname, '..', '..');
const SHIPPED = ['sdk-core', 'reference-server'];

/**
 * The production dependencies of the server as the lockfile has them, with hashes and licences, in CycloneDX. It is
 * made in a copy without devDependencies, because `npm sbom --omit=dev` also omits a production dependency that is a
 * devDependency elsewhere in the repository.
 */
export function billOfMaterials(): string {
  const scratch = mkdtempSync(join(tmpdir(), 'flagsvc-sbom-'));
  const stdio: StdioOptions = ['ignore', 'pipe', 'ignore'];
  const npm = (args: readonly string[]) =>
    execFileSync('npm', [...args, '--package-lock-only'], { cwd: scratch, stdio, encoding: 'utf8' });
  try {
    copyFileSync(join(root, 'package-lock.json'), join(scratch, 'package-lock.json'));
    const { version } = readManifest('.');
    writeManifest(scratch, { name: 'flagsvc', version, private: true, workspaces: SHIPPED });
    for (const name of SHIPPED) {
      mkdirSync(join(scratch, name));
      writeManifest(join(scratch, name), { ...readManifest(name), devDependencies: {} });
    }
    npm(['install', '--ignore-scripts', '--no-audit', '--no-fund']);
    return npm(['sbom', '--sbom-format=cyclonedx', '--workspace=@flagsvc/reference-server']);
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
}

function readManifest(folder: string): Record<string, unknown> {
  return JSON.parse(readFileSync(join(root, folder, 'package.json'), 'utf8'));
}

function writeManifest(folder: string, manifest: Record<string, unknown>): void {
  writeFileSync(join(folder, 'package.json'), JSON.stringify(manifest));
}
