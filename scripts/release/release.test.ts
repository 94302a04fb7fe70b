import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { load } from 'js-yaml';
import { expect, test } from 'vitest';
import { rooms } from '../packages.mjs';
import { root } from '../sources.ts';
import { billOfMaterials } from './bill-of-materials.ts';
import { publicPackages } from './public-packages.ts';

const run = promisify(execFile);

test('publishes these packages, dependencies first', () => {
  expect(publicPackages().map(({ name }) => name)).toEqual([
    '@flagsvc/sdk-core',
    '@flagsvc/sdk-node',
    '@flagsvc/sdk-browser',
    '@flagsvc/sdk-react',
    '@flagsvc/reference-server',
    '@flagsvc/relay-proxy',
    '@flagsvc/conformance',
  ]);
});

test('the list of names to reserve contains every command, which npx would fetch from the registry', () => {
  const text = readFileSync(join(root, 'CONTRIBUTING.md'), 'utf8');
  const commands = rooms.flatMap((folder) => {
    const { bin = {} } = JSON.parse(readFileSync(join(root, folder, 'package.json'), 'utf8'));
    return Object.keys(bin);
  });
  expect(commands.length).toBeGreaterThan(3);
  const [, list] = text.split('reserve these names:');
  expect(commands.filter((name) => !list!.includes(`\`${name}\``))).toEqual([]);
});

test('refuses to publish from a developer’s machine, and without saying what to do', async () => {
  const env = { ...process.env, GITHUB_ACTIONS: undefined };
  const release = (...args: string[]) =>
    run(process.execPath, ['scripts/release/main.ts', ...args], { cwd: root, env });
  await expect(release()).rejects.toMatchObject({ code: 2, stderr: expect.stringContaining('--dry-run') });
  await expect(release('--publish')).rejects.toMatchObject({
    code: 2,
    stderr: expect.stringContaining('only in CI'),
  });
});

test('the bill of materials lists exactly production dependencies, as in the lockfile', () => {
  const { components } = JSON.parse(billOfMaterials()) as {
    components: { name: string; group?: string; version: string; licenses?: unknown[] }[];
  };
  const names = components.map(({ name }) => name);
  const { dependencies } = JSON.parse(readFileSync(join(root, 'reference-server', 'package.json'), 'utf8'));
  const direct = Object.keys(dependencies).filter((name) => !name.startsWith('@flagsvc/'));
  expect(direct.filter((name) => !names.includes(name))).toEqual([]);
  expect(names.filter((name) => ['vitest', 'typescript', 'vite', 'smtp-server'].includes(name))).toEqual([]);
  const { packages } = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8')) as {
    packages: Record<string, { version: string }>;
  };
  const locked = Object.entries(packages).map(
    ([path, { version }]) => `${path.split('node_modules/').at(-1)}@${version}`,
  );
  const listed = components.map(({ name, version }) => `${name}@${version}`);
  const ours = ['reference-server', 'sdk-core'];
  expect(listed.filter((each) => !locked.includes(each) && !ours.includes(each.split('@')[0]!))).toEqual([]);
});

test('the workflow publishes with provenance when a tag is pushed', () => {
  const text = readFileSync(join(root, '.github', 'workflows', 'release.yml'), 'utf8');
  const { on, jobs } = load(text) as {
    on: unknown;
    jobs: Record<string, { permissions: Record<string, string>; steps: { run?: string }[] }>;
  };
  expect(on).toEqual({ push: { tags: ['v*'] } });
  expect(jobs['packages']!.permissions).toEqual({ contents: 'read', 'id-token': 'write' });
  const commands = jobs['packages']!.steps.map(({ run: command }) => command);
  expect(commands).toContain('npm run release -- --publish --no-image');
  expect(readFileSync(join(root, 'scripts', 'release', 'main.ts'), 'utf8')).toContain("'--provenance'");
});
