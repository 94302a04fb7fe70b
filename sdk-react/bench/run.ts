/**
 * `npm run bench:react`: the render matrix of our hooks and of other SDKs' hooks. Prints the table and writes
 * matrix.md.
 */
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { build } from 'esbuild';

const peers = join(import.meta.dirname, 'peers');

const SUBJECTS = [
  { name: '**@flagsvc/sdk-react**', file: 'ours.ts' },
  { name: 'LaunchDarkly', file: 'launchdarkly.ts', from: '@launchdarkly/react-sdk' },
  { name: 'Unleash', file: 'unleash.ts', from: '@unleash/proxy-client-react' },
  { name: 'GrowthBook', file: 'growthbook.ts', from: '@growthbook/growthbook-react' },
  { name: 'OpenFeature', file: 'openfeature.ts', from: '@openfeature/react-sdk' },
];

/** The other SDKs. Only this benchmark needs them, so they are installed on demand. */
function install(): void {
  const digest = createHash('sha256')
    .update(readFileSync(join(peers, 'package-lock.json')))
    .digest('hex');
  const stamp = join(peers, 'node_modules', '.installed');
  if (existsSync(stamp) && readFileSync(stamp, 'utf8') === digest) return;
  console.log('Installing the other SDKs …');
  const { status } = spawnSync('npm', ['ci', '--no-audit', '--no-fund', '--loglevel=error'], {
    cwd: peers,
    stdio: 'inherit',
    shell: process.platform === 'win32',
  });
  if (status !== 0) throw new Error('The other SDKs could not be installed. Is the npm registry reachable?');
  writeFileSync(stamp, digest);
}

async function rowOf({ name, file, from }: (typeof SUBJECTS)[number]): Promise<string[]> {
  const folder = join(peers, 'node_modules', '.bench');
  mkdirSync(folder, { recursive: true });
  const outfile = join(folder, `${file}.mjs`);
  await build({
    stdin: {
      contents: `import { create } from './${file}'; import { measure } from '../matrix.ts'; export const run = () => measure(create);`,
      resolveDir: peers,
      loader: 'ts',
    },
    bundle: true,
    format: 'esm',
    platform: 'browser',
    mainFields: ['module', 'main'],
    conditions: ['@flagsvc/source'],
    define: { 'process.env.NODE_ENV': '"development"' },
    outfile,
    logLevel: 'error',
  });
  const { stdout, stderr } = spawnSync(process.execPath, [join(import.meta.dirname, 'page.mjs'), outfile], {
    encoding: 'utf8',
    timeout: 60_000,
  });
  rmSync(outfile);
  const row = /^row (.*)$/m.exec(stdout)?.[1];
  if (!row) throw new Error(`${name} printed no row of the table: ${stderr.slice(-2000)}`);
  const manifest =
    from && JSON.parse(readFileSync(join(peers, 'node_modules', from, 'package.json'), 'utf8'));
  return [manifest ? `${name} ${manifest.version}` : name, ...(JSON.parse(row) as unknown[]).map(String)];
}

install();
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
