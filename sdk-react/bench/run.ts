/**
 * `npm run bench:react`: the time of our hooks, and the render matrix of our hooks and of other SDKs' hooks. Prints both,
 * writes matrix.md, and exits with 1 if the hooks miss their goal. `-- hooks` measures the time only.
 */
import { spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { build } from 'esbuild';
import { installOnDemand } from '../../scripts/install-on-demand.mjs';
import type { HookTimes } from './hooks.ts';

const peers = join(import.meta.dirname, 'peers');

const SUBJECTS = [
  { name: '**@flagsvc/sdk-react**', file: 'ours.ts' },
  { name: 'LaunchDarkly', file: 'launchdarkly.ts', from: '@launchdarkly/react-sdk' },
  { name: 'Unleash', file: 'unleash.ts', from: '@unleash/proxy-client-react' },
  { name: 'GrowthBook', file: 'growthbook.ts', from: '@growthbook/growthbook-react' },
  { name: 'OpenFeature', file: 'openfeature.ts', from: '@openfeature/react-sdk' },
];

/** Bundles a measurement, runs it in a simulated page in a process of its own, and returns what it printed. */
async function runInPage(contents: string, mode: 'development' | 'production'): Promise<unknown[]> {
  const folder = join(peers, 'node_modules', '.bench');
  mkdirSync(folder, { recursive: true });
  const outfile = join(folder, `${process.pid}.mjs`);
  await build({
    stdin: { contents, resolveDir: peers, loader: 'ts' },
    bundle: true,
    format: 'esm',
    platform: 'browser',
    mainFields: ['module', 'main'],
    conditions: ['@flagsvc/source'],
    define: { 'process.env.NODE_ENV': JSON.stringify(mode) },
    outfile,
    logLevel: 'error',
  });
  const { stdout, stderr } = spawnSync(
    process.execPath,
    ['--expose-gc', join(import.meta.dirname, 'page.mjs'), outfile],
    {
      encoding: 'utf8',
      timeout: 120_000,
    },
  );
  rmSync(outfile);
  const row = /^row (.*)$/m.exec(stdout)?.[1];
  if (!row) throw new Error(`no result: ${stderr.slice(-2000)}`);
  return JSON.parse(row);
}

async function rowOf({ name, file, from }: (typeof SUBJECTS)[number]): Promise<string[]> {
  const row = await runInPage(
    `import { create } from './${file}'; import { measure } from '../matrix.ts'; export const run = () => measure(create);`,
    'development',
  );
  const manifest =
    from && JSON.parse(readFileSync(join(peers, 'node_modules', from, 'package.json'), 'utf8'));
  return [manifest ? `${name} ${manifest.version}` : name, ...row.map(String)];
}

/** Prints the time of 10,000 hooks, as a ratio to those of a plain store. */
async function measureHooks(): Promise<void> {
  const results = (await runInPage("export { run } from '../hooks.ts';", 'production')) as HookTimes[];
  for (const [at, { floor, ours, ratio }] of results.entries()) {
    const what = ['mounting', 'one flag changes', 'all flags change'][at % 3]!;
    const isGoal = at < 3;
    const events = isGoal ? `goal ${GOAL_RATIO}` : 'with events counted, no goal';
    console.log(
      `10,000 hooks, ${what}: ${ours.toFixed(1)} ms, plain store ${floor.toFixed(1)} ms, ratio ${ratio.toFixed(2)} (${events})`,
    );
    if (isGoal && ratio > GOAL_RATIO) process.exitCode = 1;
  }
}

/** `useFlag` may take this many times as long as a hook of a store that only holds values. */
const GOAL_RATIO = 2;

await measureHooks();
if (process.argv.includes('hooks')) process.exit();
installOnDemand(peers);
const HEAD = [
  'SDK',
  'one flag changes',
  'same payload again',
  'context changes, values do not',
  "provider's parent renders",
  'key prop changes',
  'update between render and subscribe',
];
const rows = [HEAD];
for (const subject of SUBJECTS) rows.push(await rowOf(subject));
const widths = HEAD.map((_, column) => Math.max(...rows.map((row) => row[column]!.length)));
const lines = rows.map((row) => `| ${row.map((cell, column) => cell.padEnd(widths[column]!)).join(' | ')} |`);
lines.splice(1, 0, `|${widths.map((width) => '-'.repeat(width + 2)).join('|')}|`);
const table = `${lines.join('\n')}\n`;
console.log(table);
writeFileSync(join(import.meta.dirname, 'matrix.md'), table);
