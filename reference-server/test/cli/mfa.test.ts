import { afterAll, beforeAll, expect, test } from 'vitest';
import { totpCode, totpStep } from '../../src/control-plane/features/auth/mfa/totp.ts';
import type { Api } from '../api.ts';
import { type CommandLine, startCommandLine } from './command-line.ts';

let cli: CommandLine;
let api: Api;
beforeAll(async () => {
  cli = await startCommandLine();
  ({ api } = await cli.login('admin@example.com'));
});
afterAll(() => cli.close());

test('sets up an authenticator app that the organization requires', async () => {
  expect((await cli.run(['mfa', 'status', '--json'])).json).toMatchObject({ totp: 'off', required: false });
  const started = await cli.run(['mfa', 'start']);
  expect([started.code, started.err]).toEqual([0, '']);
  expect(started.out).toContain('flagsvc mfa confirm');
  const [, secret] = /\n\n([A-Z2-7]+)\notpauth:/.exec(started.out)!;
  const wrong = await cli.run(['mfa', 'confirm', '000000']);
  expect([wrong.code, wrong.err]).toEqual([3, expect.stringContaining('The code is wrong')]);
  const done = await cli.run(['mfa', 'confirm', totpCode(secret!, totpStep(Date.now()))]);
  expect(done.code).toBe(0);
  expect(done.out.trim().split('\n')).toHaveLength(10);
  expect((await cli.run(['mfa', 'status'])).out).toMatch(/authenticator app +on\n/);

  const [organization] = await api.organizations.list();
  await api.organizations.update(organization!.id, { settings: { require_mfa: true } });
  expect((await cli.run(['flags', 'list'])).code).toBe(0);

  await cli.login('viewer@example.com');
  const refused = await cli.run(['flags', 'list']);
  expect([refused.code, refused.err]).toEqual([3, expect.stringContaining('flagsvc mfa start')]);
  expect((await cli.run(['mfa', 'status'])).out).toMatch(/required by the organization +yes\n/);
});
