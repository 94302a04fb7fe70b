import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { expect, test } from 'vitest';

/** Scripts of Unleash 8.2.0 after gzip: what its page loads before it shows anything, and all. */
const UNLEASH = { first: 773_977, all: 2_532_539 };

const dist = join(import.meta.dirname, '..', '..', 'dist');

interface Chunk {
  readonly file: string;
  readonly imports?: readonly string[];
}

const read = (): Readonly<Record<string, Chunk>> =>
  JSON.parse(readFileSync(join(dist, '.vite', 'manifest.json'), 'utf8')) as Record<string, Chunk>;

/** Bytes after gzip of the scripts that the pages and everything they import have. */
function bytesOf(chunks: Readonly<Record<string, Chunk>>, entries: readonly string[]): number {
  const files = new Set<string>();
  const visit = (name: string): void => {
    const { file, imports = [] } = chunks[name]!;
    if (files.has(file)) return;
    files.add(file);
    imports.forEach(visit);
  };
  entries.forEach(visit);
  return [...files]
    .filter((file) => file.endsWith('.js'))
    .reduce((sum, file) => sum + gzipSync(readFileSync(join(dist, file)), { level: 9 }).length, 0);
}

const frame = ['index.html', 'src/app/project-frame.tsx'];

test.each([
  {
    name: 'sign-in',
    limit: 150_000,
    theirs: UNLEASH.first,
    entries: ['index.html', 'src/app/account/sign-in-page.tsx'],
  },
  {
    name: 'flag list',
    limit: 215_000,
    theirs: UNLEASH.first,
    entries: [...frame, 'src/flags/flags-page.tsx'],
  },
])('the scripts of the first load of $name stay within their limit', ({ name, limit, theirs, entries }) => {
  expect(existsSync(dist), 'Run npm run build first.').toBe(true);
  const chunks = read();
  const bytes = bytesOf(
    chunks,
    entries.filter((entry) => chunks[entry] !== undefined),
  );
  console.log(`${name}: ${bytes} bytes of script after gzip (limit ${limit}; Unleash ${theirs})`);
  expect(bytes).toBeGreaterThan(50_000);
  expect(bytes).toBeLessThanOrEqual(limit);
});

test('all scripts together stay within their limit', () => {
  const chunks = read();
  const bytes = bytesOf(chunks, Object.keys(chunks));
  console.log(`all pages: ${bytes} bytes of script after gzip (limit 450000; Unleash ${UNLEASH.all})`);
  expect(bytes).toBeLessThanOrEqual(450_000);
});
