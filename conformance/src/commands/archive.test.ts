import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { runCli } from '../../test/helpers.ts';
import { loadSuite } from '../suite/suite.ts';
import { toTar } from '../suite/tar.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'flagsvc-archive-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

const sha256 = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex');

test('writes an archive that another program unpacks to the whole suite', async () => {
  const { version } = loadSuite();
  const name = `flagsvc-conformance-${version}`;
  expect(await runCli(['archive', '--out', folder])).toMatchObject({ code: 0 });
  const packed = readFileSync(join(folder, `${name}.tar.gz`));
  execFileSync('tar', ['-xzf', join(folder, `${name}.tar.gz`), '-C', folder]);
  execFileSync('sha256sum', ['--check', '--quiet', 'SHA256SUMS'], { cwd: join(folder, name) });
  execFileSync('sha256sum', ['--check', '--quiet', `${name}.tar.gz.sha256`], { cwd: folder });
  const unpacked = loadSuite(join(folder, name));
  expect(unpacked.vectors).toEqual(loadSuite().vectors);
  expect(readFileSync(join(folder, name, 'CASES.md'), 'utf8')).toContain(`## ${version}`);
  for (const page of ['specification.md', 'what-a-client-owes.md', 'what-an-evaluator-owes.md', 'LICENSE'])
    expect(readFileSync(join(folder, name, page)).length, page).toBeGreaterThan(1_000);
  expect(packed.length).toBeLessThan(5_000_000);
});

test('writes the same bytes in another time zone and with another umask', async () => {
  const pack = async (out: string) => {
    const { out: said } = await runCli(['archive', '--out', join(folder, out)]);
    return said.slice(said.indexOf('sha256'));
  };
  const first = await pack('a');
  const umask = process.umask(0o077);
  const zone = process.env['TZ'];
  process.env['TZ'] = 'Pacific/Auckland';
  try {
    expect(await pack('b')).toBe(first);
  } finally {
    process.umask(umask);
    if (zone === undefined) delete process.env['TZ'];
    else process.env['TZ'] = zone;
  }
});

test('refuses a path that a tar header cannot hold', () => {
  expect(() => toTar([{ path: 'a'.repeat(101), content: new Uint8Array() }])).toThrow('does not fit');
  expect(() => toTar([{ path: 'ü', content: new Uint8Array() }])).toThrow('does not fit');
  expect(sha256(toTar([]))).toBe(sha256(Buffer.alloc(1024)));
});
