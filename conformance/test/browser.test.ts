import { expect, test } from 'vitest';
import { nodeCommand, runCli } from './helpers.ts';

// One or more scenarios of each group; `npm run conformance:browser` runs all of them.
const SAMPLE = [
  'INIT-01,INIT-07,POLL-01,POLL-03,RATE-01,AUTH-01.1,AUTH-09,ERR-03.1,ERR-06.3,ERR-08.5',
  'RULESET-02,EVENT-01,EVENT-08.7,EVENT-22,SSE-01,SSE-09,LIFE-02,LIFE-07',
];

test('sdk-browser passes a sample of the scenarios in Chromium', { timeout: 120_000 }, async () => {
  const { code, out, err } = await runCli([
    ...['run', '--suite', 'sdk', '--ws', '0', '--adapter', nodeCommand('adapters/sdk-browser.mjs')],
    ...SAMPLE.flatMap((ids) => ['--only', ids]),
  ]);
  expect(`${err}${out}`).toContain('17 of 17 pass');
  expect(out).toContain('1 not applicable: a page has no process of its own');
  expect(out).toContain('all as expected');
  expect(code).toBe(0);
});
