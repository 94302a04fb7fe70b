import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, expect, test } from 'vitest';

const kit = fileURLToPath(new URL('../../conformance/bin/flagsvc-conformance.mjs', import.meta.url));
const sources = ['FlagEvaluator.java', 'Json.java', 'Adapter.java'];
const lacksJava = spawnSync('javac', ['-version']).status !== 0;
const classes = mkdtempSync(join(tmpdir(), 'flagsvc-java-'));
afterAll(() => rmSync(classes, { recursive: true, force: true }));

test.skipIf(lacksJava)(
  `the Java evaluator passes every vector and every row of bucket.csv${lacksJava ? ' (skipped: javac is not installed)' : ''}`,
  () => {
    const built = spawnSync('javac', ['-d', classes, ...sources], {
      cwd: import.meta.dirname,
      encoding: 'utf8',
    });
    expect(built.status, built.stderr).toBe(0);
    const adapter = `java -cp "${classes}" Adapter`;
    const { status, stdout } = spawnSync(
      process.execPath,
      [kit, 'run', '--suite', 'vectors', '--adapter', adapter],
      {
        encoding: 'utf8',
      },
    );
    expect(stdout).toMatch(/(\d{5,}) of \1 pass/);
    expect(status).toBe(0);
  },
  180_000,
);
