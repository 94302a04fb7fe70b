import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Ruleset } from '@flagsvc/sdk-core';
import { createTestFlag, createTestRuleset } from '@flagsvc/sdk-core/testing';
import ts from 'typescript';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { runTypegen } from '../src/typegen/typegen.ts';
import { startLoopbackServer } from './loopback-server.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'flagsvc-typegen-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

const variations = (...values: unknown[]) => ({
  variations: values.map((value, at) => ({ key: `v${at}`, value })),
  default_variation: 'v0',
});
const RULESET: Ruleset = createTestRuleset([
  createTestFlag('new-checkout', false),
  createTestFlag('colour', 'red', variations('red', "it's", 'say "no"', 'a\nb') as never),
  createTestFlag('limit', 5, variations(5, 10) as never),
  createTestFlag('old', true, { archived: true }),
  createTestFlag(
    'settings',
    {},
    variations(
      { engine: 'a', results: 10, tags: [] },
      { engine: 'b', results: null, 'x-y': [1, 'two'] },
    ) as never,
  ),
  createTestFlag('__proto__', 'p'),
]);

const run = async (args: string[], env: Record<string, string> = {}) => {
  let printed = '';
  let complained = '';
  const code = await runTypegen(args, {
    env,
    print: (text) => {
      printed += text;
    },
    complain: (text) => {
      complained += text;
    },
  });
  return { code, printed, complained };
};
const file = (content: unknown) => {
  const path = join(folder, 'ruleset.json');
  writeFileSync(path, typeof content === 'string' ? content : JSON.stringify(content));
  return path;
};

test('writes texts one by one, everything else by its type, archived flags as deprecated, sorted', async () => {
  const { code, printed } = await run([file(RULESET)]);
  expect(code).toBe(0);
  expect(printed.split('\n').slice(5, -3)).toEqual([
    "    __proto__: 'p';",
    `    colour: 'a\\nb' | 'it\\'s' | 'red' | 'say "no"';`,
    '    limit: number;',
    "    'new-checkout': boolean;",
    '    /** @deprecated Archived: it serves its default variation to everybody, and may be removed. */',
    '    old: boolean;',
    "    settings: { readonly engine: string; readonly results: null | number; readonly tags?: readonly (unknown)[]; readonly 'x-y'?: readonly (number | string)[] };",
  ]);
});

test('says when the declaration would add to a package that is not found from where it goes', async () => {
  const alone = await run([file(RULESET), '--out', join(folder, 'flags.d.ts')]);
  expect(alone.code).toBe(0);
  expect(alone.complained).toContain('npm install @flagsvc/sdk-core');
  const core = join(folder, 'node_modules', '@flagsvc', 'sdk-core');
  mkdirSync(core, { recursive: true });
  writeFileSync(join(core, 'package.json'), '{"name":"@flagsvc/sdk-core"}');
  const together = await run([file(RULESET), '--out', join(folder, 'src', 'flags.d.ts')]);
  expect(together).toEqual({ code: 0, printed: '', complained: '' });
});

test('what it writes compiles, and a typo does not', async () => {
  const out = join(folder, 'flags.d.ts');
  await run([file(RULESET), '--out', out]);
  const text = readFileSync(out, 'utf8');
  const check = (more: string): string[] => {
    const path = join(import.meta.dirname, 'fixtures', 'generated.ts');
    const host = ts.createCompilerHost({});
    const { getSourceFile, fileExists, readFile } = host;
    host.fileExists = (name) => name === path || fileExists(name);
    host.readFile = (name) => (name === path ? `${text}${more}` : readFile(name));
    host.getSourceFile = (name, ...rest) =>
      name === path
        ? ts.createSourceFile(name, `${text}${more}`, ts.ScriptTarget.ES2022, true)
        : getSourceFile.call(host, name, ...rest);
    const options: ts.CompilerOptions = {
      strict: true,
      noEmit: true,
      target: ts.ScriptTarget.ES2022,
      module: ts.ModuleKind.NodeNext,
      moduleResolution: ts.ModuleResolutionKind.NodeNext,
      lib: ['lib.es2022.d.ts'],
      types: [],
      allowImportingTsExtensions: true,
      customConditions: ['@flagsvc/source'],
    };
    return ts.getPreEmitDiagnostics(ts.createProgram([path], options, host)).map(({ code }) => `TS${code}`);
  };
  const use = (line: string) => `
import { createTestClient } from '@flagsvc/sdk-core/testing';
const client = createTestClient();
${line}`;
  expect(check(use("export const limit: number = client.flag('limit', {}, 5);"))).toEqual([]);
  expect(check(use("client.flag('limits', {}, 5);"))).toEqual(['TS2345']);
  expect(check(use("client.flag('colour', {}, 'blue');"))).toEqual(['TS2345']);
}, 60_000);

test.each([
  ['flags.d.ts', 'flags.ts'],
  ['flags.d.ts', 'flags.tsx'],
  ['flags.d.mts', 'flags.mts'],
])('tells that compilers leave a declaration %s out beside %s', async (declaration, module) => {
  const out = join(folder, declaration);
  mkdirSync(join(folder, 'node_modules', '@flagsvc', 'sdk-core'), { recursive: true });
  writeFileSync(join(folder, 'node_modules', '@flagsvc', 'sdk-core', 'package.json'), '{}');
  const told = async () => (await run([file(RULESET), '--out', out])).complained;
  const inProgram = () =>
    ts.parseJsonConfigFileContent({ include: ['*'] }, ts.sys, folder).fileNames.includes(out);
  expect([await told(), inProgram()]).toEqual(['', true]);
  writeFileSync(join(folder, module), '');
  expect(inProgram()).toBe(false);
  expect(await told()).toContain(`${module} beside it`);
});

test('--check passes on the same flags and tells what differs; a new version alone is no difference', async () => {
  const out = join(folder, 'deep', 'flags.d.ts');
  expect((await run([file(RULESET), '--out', out, '--check'])).code).toBe(1);
  expect(existsSync(out)).toBe(false);
  expect((await run([file(RULESET), '--out', out])).code).toBe(0);
  const later = { ...RULESET, version: 9, flags: RULESET.flags.toReversed() };
  expect(await run([file(later), '--out', out, '--check'])).toEqual({ code: 0, printed: '', complained: '' });
  const other = createTestRuleset([...RULESET.flags.slice(0, 4), createTestFlag('fresh', true)]);
  const { code, complained } = await run([file(other), '--out', out, '--check']);
  expect(code).toBe(1);
  expect(complained).toContain('+ fresh: boolean;');
  expect(complained).toContain("- __proto__: 'p';");
  expect(complained).not.toContain('limit');
});

test('reads from a server by its key, with the envelope or without', async () => {
  const server = await startLoopbackServer();
  server.on('/sdk/ruleset', ({ headers }, response) => {
    const isGood = headers['x-api-key'] === 'sdk-dev-good';
    response.writeHead(isGood ? 200 : 401);
    response.end(isGood ? JSON.stringify({ success: true, data: RULESET }) : '{}');
  });
  const address = `${server.baseUrl}/`;
  const fromServer = await run([address], { FLAGSVC_API_KEY: 'sdk-dev-good' });
  expect(fromServer).toEqual(await run([file(RULESET)]));
  expect(await run([address, '--api-key', 'sdk-dev-good'])).toEqual(fromServer);
  const refused = await run([address], { FLAGSVC_API_KEY: 'sdk-dev-bad' });
  expect(refused.complained).toContain('answered 401: the key is refused');
  expect(refused.complained).not.toContain('sdk-dev-bad');
  const elsewhere = await run([`${server.baseUrl}/elsewhere`], { FLAGSVC_API_KEY: 'sdk-dev-good' });
  expect(elsewhere.complained).toContain('answered 404: there is no API');
  expect((await run([address])).complained).toContain('set FLAGSVC_API_KEY');
  await server.close();
  const gone = await run([address, '--api-key', 'k']);
  expect(gone.complained).toContain('cannot be reached (');
});

test.each([
  [['nowhere.json'], 'nowhere.json cannot be read (ENOENT)'],
  [[], 'give one ruleset'],
  [['a', 'b'], 'give one ruleset'],
  [['a', '--check'], 'give --out FILE'],
  [['a', '--colour'], "Unknown option '--colour'"],
  [['http://127.0.0.1:1/api/v1', '--api-key', 'k'], 'cannot be reached (bad port)'],
])('%j ends with 2 and says why', async (args, message) => {
  const { code, complained, printed } = await run(args);
  expect({ code, printed }).toEqual({ code: 2, printed: '' });
  expect(complained).toContain(message);
});

test('what is no ruleset is refused, and a broken flag is left out and told of', async () => {
  expect((await run([file('{')])).complained).toContain('is no JSON');
  expect((await run([file('{"flags":5}')])).complained).toContain('is no ruleset: ');
  const broken = { ...RULESET, flags: [RULESET.flags[0], { key: 'broken' }] };
  const { code, printed, complained } = await run([file(broken)]);
  expect(code).toBe(0);
  expect(printed).not.toContain('broken');
  expect(complained).toContain('left out: flags[1]');
});

test('the command runs as npm installs it', () => {
  const main = join(import.meta.dirname, '..', 'src', 'typegen', 'main.ts');
  const { status, stdout } = spawnSync(process.execPath, ['--conditions=@flagsvc/source', main, '--help'], {
    encoding: 'utf8',
  });
  expect(status).toBe(0);
  expect(stdout).toContain('--check');
});
