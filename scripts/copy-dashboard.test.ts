import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { expect, onTestFinished, test } from 'vitest';
import { copyDashboard } from './copy-dashboard.mjs';

test('the dashboard is copied with compressed text files and without hidden or old ones', () => {
  const scratch = mkdtempSync(join(tmpdir(), 'flagsvc-copy-'));
  onTestFinished(() => rmSync(scratch, { recursive: true }));
  const [from, to] = [join(scratch, 'from'), join(scratch, 'to')];
  for (const folder of [join(from, 'assets'), join(from, '.vite'), to])
    mkdirSync(folder, { recursive: true });
  const script = 'export {};\n'.repeat(500);
  writeFileSync(join(from, 'index.html'), 'x'.repeat(2_000));
  writeFileSync(join(from, 'assets', 'main-1.js'), script);
  writeFileSync(join(from, 'assets', 'small-2.js'), 'export {};');
  writeFileSync(join(from, '.vite', 'manifest.json'), '{}');
  writeFileSync(join(to, 'old.js'), '');
  copyDashboard(from, to);
  expect(readdirSync(to, { recursive: true }).map(String).sort()).toEqual(
    ['assets', 'index.html']
      .concat(['main-1.js', 'main-1.js.br', 'main-1.js.gz', 'small-2.js'].map((name) => join('assets', name)))
      .sort(),
  );
  const compressed = (end: string) => readFileSync(join(to, 'assets', `main-1.js.${end}`));
  expect(brotliDecompressSync(compressed('br')).toString()).toBe(script);
  expect(gunzipSync(compressed('gz')).toString()).toBe(script);
});
