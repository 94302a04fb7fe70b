import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, expect, test } from 'vitest';

const kit = fileURLToPath(new URL('../../conformance/bin/flagsvc-conformance.mjs', import.meta.url));
const lacksRust = spawnSync('rustc', ['--version']).status !== 0;
const target = mkdtempSync(join(tmpdir(), 'flagsvc-rust-'));
afterAll(() => rmSync(target, { recursive: true, force: true }));

test.skipIf(lacksRust)(
  `the Rust evaluator passes every vector and every row of bucket.csv${lacksRust ? ' (skipped: rustc is not installed)' : ''}`,
  () => {
    const adapter = join(target, 'adapter');
    const built = spawnSync('rustc', ['--edition', '2021', '-O', '-o', adapter, 'src/main.rs'], {
      cwd: import.meta.dirname,
      encoding: 'utf8',
    });
    expect(built.status, built.stderr).toBe(0);
    const { status, stdout } = spawnSync(
      process.execPath,
      [kit, 'run', '--suite', 'vectors', '--adapter', `"${adapter}"`],
      {
        encoding: 'utf8',
      },
    );
    expect(stdout).toMatch(/(\d{5,}) of \1 pass/);
    expect(status).toBe(0);
  },
  180_000,
);
