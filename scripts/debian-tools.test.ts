import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, onTestFinished, test, vi } from 'vitest';
import { debianTool, unpackDebianPackages } from './debian-tools.ts';

const run = promisify(execFile);

/** A folder that is removed after the test. */
function scratch(): string {
  const folder = mkdtempSync(join(tmpdir(), 'flagsvc-debian-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

function setPath(path: string): void {
  vi.stubEnv('PATH', path);
  onTestFinished(() => void vi.unstubAllEnvs());
}

test('a program starts with its libraries when two tests ask for it at once', async (context) => {
  const cache = scratch();
  const [tool, same] = await Promise.all([
    debianTool('redis-server', cache),
    debianTool('redis-server', cache),
  ]);
  if (tool.missing !== undefined) return context.skip(tool.missing);
  expect(same.path).toBe(tool.path);
  const { stdout } = await run(tool.path, ['--version'], { env: tool.env });
  expect(stdout).toMatch(/^Redis server v=\d/);
});

test('an installed program is used where Debian has no packages', async () => {
  const bin = scratch();
  writeFileSync(join(bin, 'kubectl'), '', { mode: 0o755 });
  setPath(bin);
  expect((await debianTool('kubectl', scratch())).path).toBe(join(bin, 'kubectl'));
});

test('a program that cannot be had is reported in one line', async () => {
  setPath('');
  const { missing } = await debianTool('kubectl', scratch());
  expect(missing).toMatch(/^kubectl is not installed, and Debian's packages cannot be had: [^\n]+$/);
});

test('a package that Debian does not have is an error', async () => {
  await expect(unpackDebianPackages(['flagsvc-no-such-package'], scratch())).rejects.toThrow();
});
