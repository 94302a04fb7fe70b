import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { runCli } from '../../../conformance/test/helpers.ts';

/** `npm run test:relay` runs all vectors, `npm test` those of two groups. */
const isCampaign = process.env['FLAGSVC_TEST_RELAY'] === 'all';

const adapter = [
  process.execPath,
  '--conditions=@flagsvc/source',
  fileURLToPath(new URL('adapter.mjs', import.meta.url)),
]
  .map((word) => JSON.stringify(word))
  .join(' ');

test('a relay, and sdk-node behind it, pass the vectors', { timeout: 600_000 }, async () => {
  const { code, out, err } = await runCli([
    ...['run', '--suite', 'vectors', '--timeout', '30000', '--adapter', adapter],
    ...(isCampaign ? [] : ['--only', 'state']),
  ]);
  expect(`${err}${out}`).toContain('as expected');
  expect(out).toMatch(isCampaign ? /2\d\d\d of 2\d\d\d pass/ : /(\d+) of \1 pass/);
  expect(code).toBe(0);
});
