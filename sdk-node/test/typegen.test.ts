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
  let errors = '';
  const code = await runTypegen(args, {
    env,
    print: (text) => {
      printed += text;
    },
    printError: (text) => {
      errors += text;
    },
  });
  return { code, printed, errors };
};
const file = (content: unknown) => {
  const path = join(folder, 'ruleset.json');
  writeFileSync(path, typeof content === 'string' ? content : JSON.stringify(content));
  return path;
};

test('writes string variations as literals, other values by type, and archived flags as deprecated, sorted', async () => {
  const { code, printed } = await run([file(RULESET)]);
  expect(code).toBe(0);
  expect(printed.split('\n').slice(5, -3)).toEqual([
    "    __proto__: 'p';",
    `    colour: 'a\\nb' | 'it\\'s' | 'red' | 'say "no"';`,
    '    limit: number;',
    "    'new-checkout': boolean;",
    '    /** @deprecated Archived: it serves its default variation to every user and can be removed. */',
    '    old: boolean;',
    "    settings: { readonly engine: string; readonly results: null | number; readonly tags?: readonly (unknown)[]; readonly 'x-y'?: readonly (number | string)[] };",
  ]);
});

test('warns if sdk-core cannot be found from the declaration', async () => {
  const alone = await run([file(RULESET), '--out', join(folder, 'flags.d.ts')]);
  expect(alone.code).toBe(0);
  expect(alone.errors).toContain('npm install @flagsvc/sdk-core');
  const core = join(folder, 'node_modules', '@flagsvc', 'sdk-core');
  mkdirSync(core, { recursive: true });
  writeFileSync(join(core, 'package.json'), '{"name":"@flagsvc/sdk-core"}');
  const together = await run([file(RULESET), '--out', join(folder, 'src', 'flags.d.ts')]);
  expect(together).toEqual({ code: 0, printed: '', errors: '' });
});

test('the declaration compiles, and code with a typo in a key does not', async () => {
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
])('warns that compilers ignore a declaration %s next to %s', async (declaration, module) => {
  const out = join(folder, declaration);
  mkdirSync(join(folder, 'node_modules', '@flagsvc', 'sdk-core'), { recursive: true });
  writeFileSync(join(folder, 'node_modules', '@flagsvc', 'sdk-core', 'package.json'), '{}');
  const errorsOf = async () => (await run([file(RULESET), '--out', out])).errors;
  const inProgram = () =>
    ts.parseJsonConfigFileContent({ include: ['*'] }, ts.sys, folder).fileNames.includes(out);
  expect([await errorsOf(), inProgram()]).toEqual(['', true]);
  writeFileSync(join(folder, module), '');
  expect(inProgram()).toBe(false);
  expect(await errorsOf()).toContain(`${module} has the same name`);
});

test('--check passes for the same flags, even in a new version, and shows differences', async () => {
  const out = join(folder, 'deep', 'flags.d.ts');
  expect((await run([file(RULESET), '--out', out, '--check'])).code).toBe(1);
  expect(existsSync(out)).toBe(false);
  expect((await run([file(RULESET), '--out', out])).code).toBe(0);
  const later = { ...RULESET, version: 9, flags: RULESET.flags.toReversed() };
  expect(await run([file(later), '--out', out, '--check'])).toEqual({
    code: 0,
    printed: '',
    errors: '',
  });
  const other = createTestRuleset([...RULESET.flags.slice(0, 4), createTestFlag('fresh', true)]);
  const { code, errors } = await run([file(other), '--out', out, '--check']);
  expect(code).toBe(1);
  expect(errors).toContain('+ fresh: boolean;');
  expect(errors).toContain("- __proto__: 'p';");
  expect(errors).not.toContain('limit');
});

test('reads from a server with a key, with or without the envelope', async () => {
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
  expect(refused.errors).toContain('answered 401: the key is refused');
  expect(refused.errors).not.toContain('sdk-dev-bad');
  const elsewhere = await run([`${server.baseUrl}/elsewhere`], { FLAGSVC_API_KEY: 'sdk-dev-good' });
  expect(elsewhere.errors).toContain('answered 404: there is no API');
  expect((await run([address])).errors).toContain('set FLAGSVC_API_KEY');
  await server.close();
  const gone = await run([address, '--api-key', 'k']);
  expect(gone.errors).toContain('cannot be reached (');
});

test.each([
  [['nowhere.json'], 'nowhere.json cannot be read (ENOENT)'],
  [[], 'pass one ruleset'],
  [['a', 'b'], 'pass one ruleset'],
  [['a', '--check'], 'pass --out FILE'],
  [['a', '--colour'], "Unknown option '--colour'"],
  [['http://127.0.0.1:1/api/v1', '--api-key', 'k'], 'cannot be reached (bad port)'],
])('%j exits with 2 and says why', async (args, message) => {
  const { code, errors, printed } = await run(args);
  expect({ code, printed }).toEqual({ code: 2, printed: '' });
  expect(errors).toContain(message);
});

test('refuses an invalid ruleset, and leaves out a broken flag with a warning', async () => {
  expect((await run([file('{')])).errors).toContain('is not JSON');
  expect((await run([file('{"flags":5}')])).errors).toContain('is not a ruleset: ');
  const broken = { ...RULESET, flags: [RULESET.flags[0], { key: 'broken' }] };
  const { code, printed, errors } = await run([file(broken)]);
  expect(code).toBe(0);
  expect(printed).not.toContain('broken');
  expect(errors).toContain('left out: flags[1]');
});

test('the installed command runs', () => {
  const main = join(import.meta.dirname, '..', 'src', 'typegen', 'main.ts');
  const { status, stdout } = spawnSync(process.execPath, ['--conditions=@flagsvc/source', main, '--help'], {
    encoding: 'utf8',
  });
  expect(status).toBe(0);
  expect(stdout).toContain('--check');
});
