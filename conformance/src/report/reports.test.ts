import { expect, test } from 'vitest';
import { reportOf } from '../../test/helpers.ts';
import { toBadges } from './badges.ts';
import { toHtml } from './html.ts';
import { toJunit } from './junit.ts';
import type { CaseResult } from './results.ts';
import { createTap } from './tap.ts';

const base = { group: 'vectors/x', requirements: ['req-1'], level: 'stated' as const, ms: 2, problems: [] };
const CASES: CaseResult[] = [
  { ...base, id: 'x-0001', title: 'passes', outcome: 'pass' },
  {
    ...base,
    id: 'x-0002',
    title: 'is <b>wrong</b> # & "quoted"',
    outcome: 'fail',
    problems: [{ where: 'call 1', message: 'wrong: value', expected: true, actual: '\u0000]]>' }],
  },
  { ...base, id: 'x-0003', title: 'is skipped', outcome: 'skip', reason: 'not there' },
  {
    ...base,
    id: 'POLL-01',
    group: 'sdk/POLL',
    title: 'crashes',
    outcome: 'crash',
    reason: 'no answer',
    log: 'boom',
  },
];

test('writes TAP 14 with directives for skips and expected failures, and escapes special characters', () => {
  const parts: string[] = [];
  const tap = createTap((text) => parts.push(text), 4, [{ id: 'x-0002', reason: 'later', issue: '#7' }]);
  for (const result of CASES) tap.caseDone(result);
  const lines = parts.join('').split('\n');
  expect(lines.slice(0, 3)).toEqual(['TAP version 14', '1..4', 'ok 1 - x-0001 passes']);
  expect(lines[3]).toBe('not ok 2 - x-0002 is <b>wrong</b> \\# & "quoted" # TODO later (\\#7)');
  expect(lines).toContain('  outcome: fail');
  expect(lines).toContain('ok 3 - x-0003 is skipped # SKIP not there');
  expect(lines).toContain('not ok 4 - POLL-01 crashes');
});

test('writes JUnit with separate failures, errors and skips', () => {
  const xml = toJunit(reportOf(CASES));
  expect(xml).toContain('tests="4" failures="1" errors="1" skipped="1"');
  expect(xml).toContain('<testsuite name="sdk/POLL" tests="1" failures="0" errors="1" skipped="0"');
  expect(xml).toContain('is &lt;b&gt;wrong&lt;/b&gt; # &amp; &quot;quoted&quot;');
  expect(xml).toContain('<skipped message="not there"/>');
  expect(xml).not.toContain('\u0000');
});

test('writes a page that sends no requests and escapes its texts', () => {
  const sentence = 'A `tag` & <script>alert(1)</script>';
  const requirements = new Map([
    ['req-1', { id: 'req-1', section: 'S', sentence, level: 'stated' as const }],
  ]);
  const html = toHtml([reportOf(CASES), reportOf(CASES.slice(0, 1))], requirements);
  expect(html).not.toMatch(/https?:|src=|@import|<link/);
  expect(html).not.toContain('<script>alert');
  expect(html).toContain('A <b>tag</b> &amp; &lt;script&gt;');
  // The row has one cell per implementation.
  expect(html).toMatch(/class="mark crash"[^>]*href="#0-x-0002">! 1\/4<.*class="mark pass"[^>]*>✓ 1</s);
  expect(html).toContain('id="0-x-0002"');
});

test('writes one badge per level, with the percentage rounded down', () => {
  const many = Array.from({ length: 2_000 }, (_, at) => ({ ...CASES[at === 0 ? 1 : 0]!, id: `x-${at}` }));
  expect(toBadges(reportOf(many), [])['stated']).toEqual({
    schemaVersion: 1,
    label: 'flagsvc stated',
    message: '99.9% (1999/2000)',
    color: 'yellowgreen',
  });
  expect(toBadges(reportOf(CASES.slice(0, 1)), [])['all']).toMatchObject({
    message: 'full',
    color: 'brightgreen',
  });
  expect(toBadges(reportOf(CASES.slice(0, 1)), [])['protocol']).toMatchObject({ message: 'not run' });
});

test('gives a badge to a part that was run alone', () => {
  const badges = toBadges(reportOf(CASES.slice(0, 1), { parts: ['vectors'] }), []);
  expect(badges).toMatchObject({ stated: { message: '100%' }, all: { message: 'partial run' } });
});

test('gives no badge to a partial run, and does not count a skip as a pass', () => {
  expect(toBadges(reportOf(CASES.slice(0, 1), { partial: true }), [])['all']).toMatchObject({
    message: 'partial run',
  });
  expect(toBadges(reportOf([CASES[0]!, CASES[2]!]), [])['all']).toMatchObject({ message: '50% (1/2)' });
});

test('shows inapplicable cases and leaves them out of percentages', () => {
  const cases = [
    CASES[0]!,
    { ...CASES[2]!, id: 'x-0004', outcome: 'inapplicable' as const, reason: 'no process' },
  ];
  expect(toBadges(reportOf(cases), [])['all']).toMatchObject({ message: 'full' });
  expect(toBadges(reportOf([...cases, CASES[1]!]), [])['all']).toMatchObject({ message: '50% (1/2)' });
  expect(toJunit(reportOf(cases))).toContain('<skipped message="not applicable: no process"/>');
  const parts: string[] = [];
  createTap((text) => parts.push(text), 2).caseDone(cases[1]!);
  expect(parts.join('')).toContain('ok 1 - x-0004 is skipped # SKIP not applicable: no process');
  expect(toHtml([reportOf(cases)], new Map())).toContain('○ 1 n/a');
});
