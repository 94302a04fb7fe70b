import { execFile } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, onTestFinished, test } from 'vitest';
import { parseConfig } from '../../reference-server/src/process/config.ts';
import { startServer } from '../../reference-server/test/server-process.ts';
import { debianTool } from '../debian-tools.ts';
import { root } from '../sources.ts';

const run = promisify(execFile);
const folder = join(root, 'deploy', 'systemd');
const UNITS = ['flagsvc.service', 'flagsvc-relay.service'];
const text = readFileSync(join(folder, 'flagsvc.service'), 'utf8');
const isMissing = !existsSync('/usr/bin/systemd-analyze');

/** A folder that is removed after the test. */
function scratch(): string {
  const created = mkdtempSync(join(tmpdir(), 'flagsvc-systemd-'));
  onTestFinished(() => rmSync(created, { recursive: true, force: true }));
  return created;
}

describe.skipIf(isMissing)(`the systemd units${isMissing ? ' (skipped: no systemd-analyze)' : ''}`, () => {
  test.each(UNITS)('%s is valid', async (name) => {
    const copy = join(scratch(), name);
    const original = readFileSync(join(folder, name), 'utf8');
    // The program must exist where the unit is checked.
    writeFileSync(copy, original.replace(/^ExecStart=.*/m, `ExecStart=${process.execPath}`));
    const { stdout, stderr } = await run('systemd-analyze', ['verify', '--man=no', copy]);
    expect(`${stdout}${stderr}`).not.toContain(name);
  });

  test.each(UNITS)('%s has an exposure of at most 2.0', async (name) => {
    const args = ['security', '--offline=true', '--no-pager', join(folder, name)];
    const { stdout } = await run('systemd-analyze', args);
    const [, exposure] = /Overall exposure level for \S+: ([\d.]+)/.exec(stdout)!;
    expect(Number(exposure)).toBeLessThanOrEqual(2);
  });

  test('allows every system call that the server makes', { timeout: 120_000 }, async (context) => {
    const strace = await debianTool('strace');
    if (strace.missing !== undefined) return context.skip(strace.missing);
    const record = join(scratch(), 'calls');
    const { LD_LIBRARY_PATH = '' } = strace.env;
    const server = startServer(
      {
        LD_LIBRARY_PATH,
        FLAGSVC_DASHBOARD_PORT: 'off',
        FLAGSVC_DATABASE_URL: `sqlite:${scratch()}/flagsvc.db`,
      },
      // With -D, the signal reaches the server and not strace.
      { under: [strace.path, '-D', '-f', '-qq', '-e', 'signal=none', '-o', record] },
    );
    onTestFinished(() => void server.child.kill('SIGKILL'));
    expect((await fetch(`${await server.url}/health`)).status).toBe(200);
    server.child.kill('SIGTERM');
    expect(await server.exit).toBe(0);

    const made = readFileSync(record, 'utf8').matchAll(/^\d+ +(?:<\.\.\. )?([a-z_0-9]+)(?:\(| resumed)/gm);
    // SQLite calls fchown only as root, and the unit does not run as root.
    const calls = [...new Set([...made].map(([, name]) => name!))].filter((name) => name !== 'fchown');
    const allowed = await callsOf(['@system-service', '@default']);
    const refused = await callsOf(['@privileged', '@resources']);
    expect(calls.length).toBeGreaterThan(30);
    expect(calls.filter((name) => !allowed.has(name) || refused.has(name))).toEqual([]);
  });
});

test('the example of the environment file is a valid and safe configuration with generated secrets', () => {
  const lines = readFileSync(join(folder, 'flagsvc.env.example'), 'utf8').split('\n');
  const pairs = lines.filter((line) => /^[A-Z]/.test(line)).map((line) => line.split(/=(.*)/s, 2));
  const secrets = { FLAGSVC_JWT_SECRET_KEY: 'j'.repeat(32), FLAGSVC_API_SECRET_KEY: 'a'.repeat(32) };
  const example = Object.fromEntries(pairs) as Record<string, string>;
  expect(parseConfig({ ...example, ...secrets })).toMatchObject({
    config: { host: '127.0.0.1', registration: 'invite', passwordBlocklist: true },
    warnings: [],
  });
  expect(Object.keys(parseConfig(example))).toEqual(['faults']);
  expect(text).toContain('StateDirectory=flagsvc\n');
  expect(example['FLAGSVC_DATABASE_URL']).toBe('sqlite:/var/lib/flagsvc/flagsvc.db');
});

/** The system calls of sets such as `@system-service`. */
async function callsOf(sets: readonly string[]): Promise<ReadonlySet<string>> {
  const { stdout } = await run('systemd-analyze', ['syscall-filter', '--no-pager', ...sets]);
  const names = stdout
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '' && !line.startsWith('#'));
  const nested = names.filter((name) => name.startsWith('@') && !sets.includes(name));
  const inner = nested.length > 0 ? await callsOf(nested) : [];
  return new Set([...names.filter((name) => !name.startsWith('@')), ...inner]);
}
