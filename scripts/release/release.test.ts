import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { load } from 'js-yaml';
import { expect, test } from 'vitest';
import { root } from '../sources.ts';
import { publicPackages } from './public-packages.ts';

const run = promisify(execFile);

test('publishes these packages, dependencies first', () => {
  expect(publicPackages().map(({ name }) => name)).toEqual([
    '@flagsvc/sdk-core',
    '@flagsvc/sdk-node',
    '@flagsvc/sdk-browser',
    '@flagsvc/sdk-react',
    '@flagsvc/reference-server',
    '@flagsvc/conformance',
  ]);
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

test('the bill of materials lists production dependencies with their licences', async () => {
  const args = ['sbom', '--sbom-format=cyclonedx', '--omit=dev', '--workspace=@flagsvc/reference-server'];
  const { stdout } = await run('npm', args, { cwd: root, maxBuffer: 2 ** 26 });
  const bill = JSON.parse(stdout) as { components: { name: string; licenses?: unknown[] }[] };
  const names = bill.components.map(({ name }) => name);
  expect(names).toEqual(expect.arrayContaining(['fastify', 'better-sqlite3', 'pg', 'kysely']));
  expect(names.filter((name) => ['vitest', 'typescript', 'vite', 'playwright-core'].includes(name))).toEqual(
    [],
  );
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
