/** The client in Go: its own tests, every vector, and a sample of its profile's scenarios. */
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, expect, test } from 'vitest';
import { debianTool } from '../../scripts/debian-tools.ts';

const kit = fileURLToPath(new URL('../../conformance/bin/flagsvc-conformance.mjs', import.meta.url));
const scratch = mkdtempSync(join(tmpdir(), 'flagsvc-go-'));
afterAll(() => rmSync(scratch, { recursive: true, force: true }));

const go = await findGo();
const reason = go.missing === undefined ? '' : ` (skipped: ${go.missing})`;
const adapter = join(scratch, 'adapter');

/** The installed Go, else Debian's. */
async function findGo() {
  const caches = { GOCACHE: join(scratch, 'cache'), GOPATH: join(scratch, 'path'), GOFLAGS: '-mod=mod' };
  const installed = { path: 'go', env: { ...process.env, ...caches }, missing: undefined };
  if (spawnSync('go', ['version']).status === 0) return installed;
  const found = await debianTool('go');
  if (found.missing !== undefined) return { ...installed, missing: found.missing };
  const env = { ...process.env, ...caches, GOROOT: dirname(dirname(found.path)) };
  return { path: found.path, env, missing: undefined };
}

const run = async (command: string, args: readonly string[]) => {
  const child = spawn(command, args, { cwd: import.meta.dirname, env: go.env });
  let said = '';
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (chunk) => {
      said += chunk;
    });
  const [code] = await once(child, 'close');
  return { code, said };
};

test.skipIf(go.missing)(
  `the client in Go is formatted, vetted and passes its own tests${reason}`,
  async () => {
    expect(await run(join(dirname(go.path), 'gofmt'), ['-l', '.'])).toEqual({ code: 0, said: '' });
    const { code, said } = await run(go.path, ['test', './...']);
    expect(code, said).toBe(0);
  },
  300_000,
);

test.skipIf(go.missing)(
  `the client in Go passes every vector and a sample of its scenarios${reason}`,
  async () => {
    const built = await run(go.path, ['build', '-o', adapter, './cmd/adapter']);
    expect(built.code, built.said).toBe(0);
    const kitRun = (...args: string[]) => run(process.execPath, [kit, ...args, '--adapter', `"${adapter}"`]);
    const [vectors, check, sample] = await Promise.all([
      kitRun('run', '--suite', 'vectors'),
      kitRun('adapter-check'),
      kitRun(
        'run',
        '--suite',
        'sdk',
        '--only',
        'INIT-0,POLL-0,AUTH-0,ERR-1,EVENT-0,EVENT-1,EVENT-4,SSE-0,SSE-2',
      ),
    ]);
    expect(vectors.said).toMatch(/(\d{5,}) of \1 pass/);
    expect(check.said).toMatch(/(\d+) of \1 pass/);
    expect(sample.said).toContain('all as expected');
    expect([vectors.code, check.code, sample.code]).toEqual([0, 0, 0]);
  },
  400_000,
);
