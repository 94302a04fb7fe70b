/** Tests the HTML matrix in Chromium: a narrow screen, the keyboard and its links. */
import packed from '@sparticuz/chromium';
import { chromium } from 'playwright-core';
import { expect, test } from 'vitest';
import { toHtml } from '../src/report/html.ts';
import type { CaseResult } from '../src/report/results.ts';
import { reportOf } from './helpers.ts';

const caseOf = (id: string, outcome: CaseResult['outcome']): CaseResult => ({
  ...{ id, outcome, group: 'sdk/POLL', title: 'polls', requirements: [id.slice(0, 3)], level: 'stated' },
  problems:
    outcome === 'fail'
      ? [{ where: `step 1 ${'x'.repeat(300)}`, message: 'wrong', expected: 'x'.repeat(300) }]
      : [],
  ms: 1,
});
const named = (name: string, cases: readonly CaseResult[]) =>
  reportOf(cases, { implementation: { name, version: '1.0.0' }, repeat: 'npx kit --only {id}' });
const requirements = new Map(
  ['aaa', 'bbb'].map((id) => [
    id,
    { id, section: 'S', sentence: `Sentence ${id}.`, level: 'stated' as const },
  ]),
);
const html = toHtml(
  [
    named('a-rather-long-name-of-an-sdk', [caseOf('aaa-1', 'pass'), caseOf('bbb-1', 'pass')]),
    named('other', [caseOf('aaa-1', 'pass'), ...[1, 2, 3].map((at) => caseOf(`bbb-${at}`, 'fail'))]),
  ],
  requirements,
);

test('fits a narrow screen, filters by keyboard, and links a cell to its failure', async () => {
  const browser = await chromium.launch({
    executablePath: await packed.executablePath(),
    args: ['--no-sandbox', '--disable-gpu', '--disable-dev-shm-usage'],
  });
  try {
    const page = await browser.newPage({ viewport: { width: 340, height: 700 } });
    const requests: string[] = [];
    page.on('request', (request) => requests.push(request.url()));
    await page.setContent(html);
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(340);
    const rows = () => page.locator('tr[data-text]:visible').count();
    expect(await rows()).toBe(2);
    await page.keyboard.press('/');
    await page.keyboard.type('bbb');
    expect(await rows()).toBe(1);
    expect(await page.locator('#shown').innerText()).toBe('1 of 2');
    await page.keyboard.press('Escape');
    expect(await rows()).toBe(2);
    await page.locator('#open').check();
    expect(await rows()).toBe(1);
    await page.locator('a.mark').click();
    expect(await page.locator('.case:target').innerText()).toContain('npx kit --only bbb-1');
    await page.locator('.mosaic').first().locator('a').nth(1).click();
    expect(await page.locator('tr:target').innerText()).toContain('Sentence bbb.');
    expect(requests).toEqual([]);
  } finally {
    await browser.close();
  }
});
