import { expect, test } from 'vitest';
import { runCli } from '../../../conformance/test/helpers.ts';
import { adapterCommand } from './command.ts';

/** `npm run test:relay` runs all vectors, `npm test` those of one group. */
const isCampaign = process.env['FLAGSVC_TEST_RELAY'] === 'all';

test('a relay, and sdk-node behind it, pass the vectors', { timeout: 600_000 }, async () => {
  const { code, out, err } = await runCli([
    ...[
      'run',
      '--suite',
      'vectors',
      '--timeout',
      '30000',
      '--adapter',
      adapterCommand('vectors-adapter.mjs'),
    ],
    ...(isCampaign ? [] : ['--only', 'state']),
  ]);
  expect(`${err}${out}`).toContain('as expected');
  expect(out).toMatch(isCampaign ? /1\d{4} of 1\d{4} pass/ : /(\d+) of \1 pass/);
  expect(code).toBe(0);
});
