import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { pathOf, runCli } from '../../test/helpers.ts';
import { loadScenarios } from '../scenarios/load.ts';
import { compareVersions, isPartOf } from './lifetime.ts';
import { loadSuite } from './suite.ts';

test('orders versions numerically and reads a short version as its first release', () => {
  const ordered = ['0.1', '0.1.1', '0.2', '0.10.0', '1', '1.0.1'];
  expect([...ordered].reverse().sort(compareVersions)).toEqual(ordered);
  expect(compareVersions('1.2', '1.2.0')).toBe(0);
});

test('includes a case from its `since` version and excludes it from its `until` version', () => {
  const versions = ['0.9.0', '1.0.0', '1.1.0', '2.0.0'];
  const within = (lifetime: Parameters<typeof isPartOf>[0]) =>
    versions.filter((version) => isPartOf(lifetime, version));
  expect(within({})).toEqual(versions);
  expect(within({ since: '1.0' })).toEqual(['1.0.0', '1.1.0', '2.0.0']);
  expect(within({ until: '1.1' })).toEqual(['0.9.0', '1.0.0']);
  expect(within({ since: '1.0', until: '2.0' })).toEqual(['1.0.0', '1.1.0']);
});

test('loads an earlier version of the suite with the cases of that version', () => {
  const folder = mkdtempSync(join(tmpdir(), 'flagsvc-lifetime-'));
  try {
    for (const name of ['vectors/size.json', 'vectors/bucket.csv', 'scenarios/sdk/04-auth.json']) {
      cpSync(pathOf(name), join(folder, name), { recursive: true });
    }
    writeFileSync(join(folder, 'VERSION'), '2.0.0\n');
    const end = (name: string, list: 'vectors' | 'scenarios') => {
      const path = join(folder, name);
      const file = JSON.parse(readFileSync(path, 'utf8'));
      file[list][0].until = '2.0.0';
      writeFileSync(path, JSON.stringify(file));
    };
    const count = (version?: string) => [
      loadSuite(folder, version).vectors.length,
      loadScenarios(folder, version).scenarios.length,
    ];
    const before = count();
    end('vectors/size.json', 'vectors');
    end('scenarios/sdk/04-auth.json', 'scenarios');
    expect(count('1.9')).toEqual(before);
    expect(count()).toEqual([before[0]! - 1, expect.any(Number)]);
    expect(count()[1]).toBeLessThan(before[1]!);
  } finally {
    rmSync(folder, { recursive: true });
  }
});

test.each(['9.0', 'new'])('refuses a version that does not exist: %s', async (version) => {
  const { code, err } = await runCli(['run', '--adapter', 'true', '--spec', version]);
  expect(err).toContain(`--spec ${version}`);
  expect(code).toBe(2);
});
