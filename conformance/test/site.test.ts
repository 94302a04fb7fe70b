/** The site made from reports: what its pages say, and that it is accessible and sends no request. */
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import packed from '@sparticuz/chromium';
import { type Browser, chromium } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { CaseResult, Outcome, RunReport } from '../src/report/results.ts';
import { reportOf, runCli } from './helpers.ts';

const folder = mkdtempSync(join(tmpdir(), 'flagsvc-site-'));
const site = join(folder, 'site');
let browser: Browser;
afterAll(async () => {
  await browser.close();
  rmSync(folder, { recursive: true });
});

const caseOf = (id: string, outcome: Outcome, requirements: readonly string[]): CaseResult => ({
  ...{ id, outcome, requirements, group: id.startsWith('POLL') ? 'sdk/POLL' : 'vectors/state' },
  ...{ title: `case ${id}`, level: 'decided', ms: 1 },
  problems: outcome === 'fail' ? [{ where: 'call 1', message: 'wrong: <value> & "reason"' }] : [],
  ...(outcome === 'skip' && { reason: 'no capability "fork"' }),
});
const write = (name: string, report: RunReport) => {
  mkdirSync(join(folder, 'reports', dirname(name)), { recursive: true });
  writeFileSync(join(folder, 'reports', name), JSON.stringify(report));
};
const one = (version: string, day: string, outcomes: readonly Outcome[]) =>
  reportOf(
    [
      caseOf('state-0001', outcomes[0]!, ['EV-30']),
      caseOf('state-0002', outcomes[1]!, ['EV-31']),
      caseOf('POLL-01', outcomes[2]!, ['CL-22', 'CL-24']),
    ],
    {
      implementation: { name: 'go <client>', version, language: 'go' },
      started_at: `${day}T10:00:00.000Z`,
    },
  );

beforeAll(async () => {
  write('go/1.0.0/report.json', one('1.0.0', '2026-05-01', ['fail', 'pass', 'skip']));
  write('go/1.1.0/report.json', one('1.1.0', '2026-06-01', ['pass', 'fail', 'skip']));
  write('go/1.1.0/badges/all.json', { schemaVersion: 1 } as never);
  write('other.json', {
    ...one('3.0.0', '2026-04-01', ['pass', 'pass', 'pass']),
    implementation: { name: 'go.client', version: '3.0.0' },
  });
  const { code, out } = await runCli(['site', join(folder, 'reports'), '--out', site]);
  expect(out).toContain('2 implementations, 3 runs');
  expect(code).toBe(0);
  browser = await chromium.launch({
    executablePath: await packed.executablePath(),
    args: ['--no-sandbox', '--disable-gpu', '--disable-dev-shm-usage'],
  });
});

const read = (path: string) => readFileSync(join(site, path), 'utf8');

test('shows the newest version of each implementation, its history and what changed', () => {
  const index = read('index.html');
  expect(index).toContain('go &lt;client&gt;</a> <small>1.1.0</small>');
  expect(index).toContain('33.3 % <small>of 3 cases');
  const page = read('implementations/go-client.html');
  expect(page).toContain('1 mended, 1 broken');
  expect(page).toContain('first version');
  expect(page).toContain('wrong: &lt;value&gt; &amp; &quot;reason&quot;');
  expect(page).toContain('no capability &quot;fork&quot;');
  // The other implementation's name gives the same file name.
  expect(read('implementations/go-client-2.html')).toContain('<h1>go.client');
});

test('has a page for each sentence with its reason, its cases and its results by version', () => {
  const page = read('sentences/EV-30.html');
  expect(page).toContain('<b>Why:</b>');
  const rows = page.split('<tr>').filter((row) => row.includes('go-client.html'));
  expect(rows.map((row) => />(\d\.\d\.\d)<.*(pass|fail)/.exec(row)?.slice(1))).toEqual([
    ['1.1.0', 'pass'],
    ['1.0.0', 'fail'],
  ]);
  expect(read('sentences/EV-3.html')).toContain('<b>Not tested:</b>');
  expect(page).toMatch(/<code>state-0001<\/code>.*not run/);
});

test('writes badges as pictures and for shields.io', () => {
  expect(JSON.parse(read('badges/go-client-2/all.json'))).toMatchObject({ message: 'full' });
  expect(read('badges/go-client-2/all.svg')).toContain('aria-label="flagsvc conformance: full"');
});

test('every link leads to a part of the site', () => {
  const broken: string[] = [];
  for (const path of readdirSync(site, { recursive: true, encoding: 'utf8' })) {
    if (!path.endsWith('.html')) continue;
    for (const [, target = ''] of read(path).matchAll(/(?:href|src)="([^"]*)"/g)) {
      if (target === 'data:,') continue;
      const [file = '', anchor] = target.split('#');
      const found = file === '' ? path : resolve('/', dirname(path), file).slice(1);
      try {
        if (anchor && !read(found).includes(`id="${anchor}"`)) broken.push(`${path}: ${target}`);
        else read(found);
      } catch {
        broken.push(`${path}: ${target}`);
      }
    }
  }
  expect(broken).toEqual([]);
});

test('gives the same bytes for the same reports', async () => {
  const again = join(folder, 'again');
  await runCli(['site', join(folder, 'reports'), '--out', again]);
  const names = readdirSync(site, { recursive: true, encoding: 'utf8' }).filter((name) =>
    /\.\w+$/.test(name),
  );
  const different = names.filter((name) => readFileSync(join(again, name), 'utf8') !== read(name));
  expect(different).toEqual([]);
});

test.each([
  ['light', 1280],
  ['light', 360],
  ['dark', 1280],
  ['dark', 360],
] as const)('is accessible and sends no request in the %s theme at %i pixels', async (colorScheme, width) => {
  const page = await browser.newPage({ viewport: { width, height: 800 }, colorScheme });
  const requests: string[] = [];
  page.on('request', (request) => requests.push(request.url()));
  const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
  for (const path of [
    'index.html',
    'implementations/go-client.html',
    'sentences/index.html',
    'sentences/CL-22.html',
  ]) {
    await page.goto(pathToFileURL(join(site, path)).href);
    expect(await page.evaluate('document.documentElement.scrollWidth'), path).toBeLessThanOrEqual(width);
    const hidden = await page
      .locator('.mark')
      .evaluateAll((marks) => marks.filter((mark) => mark.getBoundingClientRect().right < 0).length);
    expect(hidden).toBe(0);
    await page.addScriptTag({ content: axe });
    // The rows of the list of sentences are all alike, so a part is enough.
    const scope =
      path === 'sentences/index.html'
        ? '{include:["header","h1","h2:first-of-type",".scroll:first-of-type"]}'
        : 'document';
    const { violations } = (await page.evaluate(`axe.run(${scope})`)) as {
      violations: { id: string; nodes: { html: string }[] }[];
    };
    expect(violations.map(({ id, nodes }) => `${path}: ${id} ${nodes[0]?.html}`)).toEqual([]);
  }
  expect(
    requests.filter((url) => !url.startsWith(pathToFileURL(site).href) && !url.startsWith('data:')),
  ).toEqual([]);
  await page.close();
});

test.each([
  [[], 'give one directory'],
  [['none'], 'there is no directory none'],
  [['src'], 'has no report'],
])('says what is wrong with %j', async (args, message) => {
  const { code, err } = await runCli(['site', ...args]);
  expect(err).toContain(message);
  expect(code).toBe(2);
});
