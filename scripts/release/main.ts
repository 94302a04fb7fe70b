/**
 * `npm run release -- --dry-run`: packs and checks all packages, builds the image and the bill of materials, and tries
 * the publication. `--publish` publishes for real, with provenance; only a CI service can vouch for where a package
 * was built, so it refuses to run elsewhere. `--no-image` leaves out the image.
 */
import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { parseArgs } from 'node:util';
import { billOfMaterials } from './bill-of-materials.ts';
import { publicPackages } from './public-packages.ts';
import { findFaults, packAll } from './tarballs.ts';

const root: string = join(import.meta.dirname, '..', '..');
const out: string = join(root, 'dist');
const { values } = parseArgs({
  options: {
    'dry-run': { type: 'boolean', default: false },
    publish: { type: 'boolean', default: false },
    'no-image': { type: 'boolean', default: false },
  },
});

if (values['dry-run'] === values.publish) {
  console.error('Use `npm run release -- --dry-run` to try a release, or --publish in CI to publish it.');
  process.exit(2);
}
if (values.publish && process.env['GITHUB_ACTIONS'] !== 'true') {
  console.error(
    'npm can prove where a package was built only in CI. Push a tag, and the workflow publishes it.',
  );
  process.exit(2);
}
await release();

async function release(): Promise<void> {
  mkdirSync(out, { recursive: true });
  if (!values.publish) await step('changelog: what the changesets will release', planChangelog);
  const packages = publicPackages();
  const tarballs = await step(`pack ${packages.length} packages`, () => packAll(packages, out));
  await step('check the packages with publint', async () => {
    const faults = await findFaults(tarballs);
    if (faults.length > 0) throw new Error(faults.join('\n'));
  });
  await step('check types, entry points and imports of the packages', () =>
    node(['node_modules/vitest/vitest.mjs', 'run', '--project', 'tests', 'scripts/packages']),
  );
  await step('bill of materials: dist/sbom.cdx.json', () =>
    writeFileSync(join(out, 'sbom.cdx.json'), billOfMaterials()),
  );
  if (!values['no-image']) await step('container image', () => node(['scripts/image/build.ts']));
  for (const { name, tarball } of tarballs)
    await step(`publish ${name}${values.publish ? '' : ' (dry run)'}`, () => publish(tarball));
}

/** Runs a step and prints its name and time. A failure ends the release, before anything is published. */
async function step<T>(name: string, run: () => T | Promise<T>): Promise<T> {
  const from = Date.now();
  console.log(`… ${name}`);
  try {
    const result = await run();
    console.log(`✓ ${name} (${((Date.now() - from) / 1000).toFixed(1)} s)`);
    return result;
  } catch (error) {
    console.error(`✗ ${name}\n${(error as Error).message}`);
    process.exit(1);
  }
}

function planChangelog(): void {
  node(['node_modules/@changesets/cli/bin.js', 'status', '--verbose']);
}

function publish(tarball: string): void {
  const options = ['--access=public', '--provenance', ...(values.publish ? [] : ['--dry-run'])];
  const file = `./${relative(root, tarball)}`;
  execFileSync('npm', ['publish', file, ...options], { cwd: root, stdio: ['ignore', 'inherit', 'inherit'] });
}

function node(args: readonly string[]): void {
  execFileSync(process.execPath, args, { cwd: root, stdio: ['ignore', 'inherit', 'inherit'] });
}
