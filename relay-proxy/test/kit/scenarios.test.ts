import { expect, test } from 'vitest';
import { runCli } from '../../../conformance/test/helpers.ts';
import { adapterCommand } from './command.ts';

/** `npm run test:relay` plays all scenarios, `npm test` those that wait for nothing. */
const isCampaign = process.env['FLAGSVC_TEST_RELAY'] === 'all';
const SAMPLE = ['--only', 'RELAY-01,RELAY-02,RELAY-03,RELAY-11,RELAY-12'];

test("the relay passes the kit's scenarios for relays", { timeout: 600_000 }, async () => {
  const { code, out, err } = await runCli([
    ...['run', '--suite', 'relay', '--timeout', '30000', '--adapter', adapterCommand('relay-adapter.mjs')],
    ...(isCampaign ? [] : SAMPLE),
  ]);
  expect(`${err}${out}`).toMatch(isCampaign ? /18 of 18 pass/ : /5 of 5 pass/);
  expect(code).toBe(0);
});
