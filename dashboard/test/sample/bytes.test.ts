import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { expect, test } from 'vitest';

/** Scripts of Unleash 8.2.0 after gzip: what its page loads before it shows anything, and all. */
const UNLEASH = { first: 773_977, all: 2_532_539 };

const dist = join(import.meta.dirname, '..', '..', 'dist');

interface Chunk {
  readonly file: string;
  readonly name?: string;
  readonly imports?: readonly string[];
}

const read = (): Readonly<Record<string, Chunk>> =>
  JSON.parse(readFileSync(join(dist, '.vite', 'manifest.json'), 'utf8')) as Record<string, Chunk>;

/** The scripts of the groups that `dashboard/chunks.ts` names, and of everything they import. */
function scriptsOf(chunks: Readonly<Record<string, Chunk>>, groups: readonly string[]): readonly string[] {
  const files = new Set<string>();
  const visit = (key: string): void => {
    const { file, imports = [] } = chunks[key]!;
    if (files.has(file)) return;
    files.add(file);
    imports.forEach(visit);
  };
  const keys = Object.keys(chunks);
  for (const group of groups) visit(keys.find((key) => chunks[key]!.name === group)!);
  return [...files];
}

const bytesOf = (scripts: readonly string[]): number =>
  scripts.reduce((sum, file) => sum + gzipSync(readFileSync(join(dist, file)), { level: 9 }).length, 0);

test.each([
  { name: 'sign-in', limit: 145_000, groups: ['sign-in'] },
  { name: 'flag list', limit: 190_000, groups: ['sign-in', 'frame', 'flags'] },
])('the first load of $name stays within its limits', ({ name, limit, groups }) => {
  expect(existsSync(dist), 'Run npm run build first.').toBe(true);
  const scripts = scriptsOf(read(), groups);
  const bytes = bytesOf(scripts);
  console.log(
    `${name}: ${bytes} bytes in ${scripts.length} scripts after gzip (limit ${limit}; Unleash ${UNLEASH.first})`,
  );
  expect(bytes).toBeGreaterThan(50_000);
  expect(bytes).toBeLessThanOrEqual(limit);
  expect(scripts.length).toBeLessThanOrEqual(8);
});

test('all scripts together stay within their limit', () => {
  const scripts = Object.values(read()).flatMap(({ file }) => (file.endsWith('.js') ? [file] : []));
  const bytes = bytesOf(scripts);
  console.log(`all pages: ${bytes} bytes of script after gzip (limit 450000; Unleash ${UNLEASH.all})`);
  expect(bytes).toBeLessThanOrEqual(450_000);
});
