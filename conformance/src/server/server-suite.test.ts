import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { fakeAdapter, nodeCommand, pathOf, runCli } from '../../test/helpers.ts';

let server: ReturnType<typeof spawn>;
let url = '';
beforeAll(async () => {
  const args = ['--conditions=@flagsvc/source', pathOf('adapters/reference-server.mjs')];
  server = spawn(process.execPath, args, { stdio: ['pipe', 'pipe', 'inherit'] });
  const [chunk] = (await once(server.stdout!, 'data')) as [Buffer];
  url = chunk.toString().trim();
});
afterAll(async () => {
  server.stdin!.end();
  await once(server, 'exit');
});

const suite = (...more: string[]) =>
  runCli([
    'server',
    ...['--url', url, '--admin-email', 'admin@example.com', '--admin-password', 'admin password'],
    ...['--jwt-secret', 'conformance-jwt-secret-key-0123456789', '--without-limits', ...more],
  ]);

const random = (seeds: number, length: number) => [
  ...['--sequences', `${seeds}`, '--sequence-length', `${length}`],
];

test('reference-server passes the tables, a sample of the vectors and random commands', {
  timeout: 120_000,
}, async () => {
  const { code, out, err } = await suite(
    '--vectors-every',
    '60',
    ...random(2, 40),
    ...['--adapter', nodeCommand('adapters/core.mjs')],
  );
  expect(`${err}${out}`).toContain('all as expected');
  expect(code).toBe(0);
});

test('notices an SDK whose results differ from those of the server', { timeout: 60_000 }, async () => {
  const { code, out } = await suite(
    ...random(1, 20),
    ...['--only', 'SEQ-001', '--adapter', fakeAdapter('wrong-answer')],
  );
  expect(out).toContain('the other implementation: gives a different result from the server');
  expect(out).toContain('SDKs implement identical evaluation');
  expect(code).toBe(1);
});

test('tests a server that already has users, and reports what it could not test', async () => {
  const { code, out } = await suite('--only', 'AUTHN-01,AUTHN-02,DOCS', '--format', 'tap');
  expect(out).toContain('# SKIP the server already had users');
  expect(out).not.toContain('not ok');
  expect(code).toBe(0);
});
