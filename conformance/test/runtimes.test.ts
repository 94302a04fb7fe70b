/** Runs the vectors in the running Node and in Chromium; `npm run conformance:runtimes` uses all runtimes. */
import { execFileSync } from 'node:child_process';
import { copyFileSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { bundle } from '../runtimes/bundle.ts';
import { chromium } from '../runtimes/engines/chromium.ts';
import { inputOf, judge } from '../runtimes/judge.ts';
import { loadSuite } from '../src/suite/suite.ts';

const suite = loadSuite();
const input = inputOf(suite);
const scripts = await bundle();
const everything = { vectors: suite.vectors.length, rows: suite.buckets.length, failed: [] };

/** Runs in a separate process, so that nothing of the test runner can influence the result. */
const answersOfNode = (): string => {
  const folder = mkdtempSync(join(tmpdir(), 'flagsvc-runtimes-'));
  try {
    copyFileSync(new URL('../runtimes/engines/host.mjs', import.meta.url), join(folder, 'host.mjs'));
    writeFileSync(join(folder, 'evaluate-all.mjs'), scripts.module);
    writeFileSync(join(folder, 'input.json'), input);
    return execFileSync(process.execPath, [join(folder, 'host.mjs')], {
      encoding: 'utf8',
      maxBuffer: 1 << 28,
    });
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
};
const node = answersOfNode();

test('the built evaluator passes every vector in the running Node', () => {
  expect(judge(suite, node)).toEqual(everything);
});

test('wrong and missing answers are failures', () => {
  const [first, second] = [suite.vectors[0]!, suite.vectors[1]!];
  const wrong = node.replace(/"reason":"\w+"/, '"reason":"GUESSED"');
  expect(judge(suite, wrong).failed).toEqual([first.id]);
  expect(judge(suite, '').failed).toHaveLength(suite.vectors.length + suite.buckets.length);
  expect(judge(suite, node.slice(node.indexOf(`["${second.id}"`))).failed).toContain(first.id);
});

const lacksChromium = process.platform !== 'linux';
test.skipIf(lacksChromium)(
  `the built evaluator gives the same bytes in Chromium${lacksChromium ? ' (skipped: the npm package is for Linux only)' : ''}`,
  async () => {
    const run = await chromium.run(scripts, input);
    expect(run).not.toHaveProperty('missing');
    expect('answers' in run && run.answers === node).toBe(true);
  },
  120_000,
);
