/** Packs the SDKs as npm would publish them, checks the packages, and uses them in an empty project in four ways. */
import { execFileSync, spawnSync } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { SourceMap } from 'node:module';
import { tmpdir } from 'node:os';
import { basename, dirname, join, relative, resolve } from 'node:path';
import { checkPackage, createPackageFromTarballData } from '@arethetypeswrong/core';
import { build as esbuild } from 'esbuild';
import { publint } from 'publint';
import { build as vite } from 'vite';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { root } from './sources.ts';

const SDKS = ['sdk-core', 'sdk-node', 'sdk-browser', 'sdk-react'];
const scratch = mkdtempSync(join(tmpdir(), 'flagsvc-packages-'));
const project = join(scratch, 'project');
const manifestOf = (folder: string) => JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
const tarballs = new Map<string, string>();
const packed = (name: string) => readFileSync(tarballs.get(name)!);

/** Dependencies outside of this project, which are installed from node_modules instead of the registry. */
const foreign = () => {
  const names = SDKS.flatMap((name) => {
    const { dependencies = {}, peerDependencies = {} } = manifestOf(join(root, name));
    return Object.keys({ ...dependencies, ...peerDependencies });
  });
  return [...new Set([...names, '@openfeature/core'])].filter((name) => !name.startsWith('@flagsvc/'));
};

beforeAll(() => {
  for (const name of SDKS)
    if (!existsSync(join(root, name, 'dist')))
      throw new Error(`${name} is not built: run \`npm run build\` first`);
  const workspaces = SDKS.flatMap((name) => ['-w', name]);
  const args = ['pack', ...workspaces, '--json', '--ignore-scripts', '--pack-destination', scratch];
  const said = execFileSync('npm', args, {
    cwd: root,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  const list: { name: string; filename: string }[] = Object.values(JSON.parse(said));
  for (const { name, filename } of list) tarballs.set(name.replace('@flagsvc/', ''), join(scratch, filename));

  mkdirSync(project);
  const dependencies = Object.fromEntries([
    ...SDKS.map((name) => [`@flagsvc/${name}`, `file:${tarballs.get(name)}`]),
    ...foreign().map((name) => [name, `file:${join(root, 'node_modules', name)}`]),
  ]);
  writeFileSync(
    join(project, 'package.json'),
    JSON.stringify({ private: true, type: 'module', dependencies }),
  );
  const install = ['install', '--offline', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error'];
  execFileSync('npm', install, { cwd: project, stdio: ['ignore', 'ignore', 'inherit'] });
}, 60_000);
afterAll(() => rmSync(scratch, { recursive: true, force: true }));

test.each(SDKS)('publint finds no fault in %s', async (name) => {
  const bytes = packed(name);
  const { messages } = await publint({
    pack: { tarball: bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length) },
  });
  expect(messages).toEqual([]);
});

test.each(SDKS)('the types of %s resolve in all four modes of module resolution', async (name) => {
  const result = await checkPackage(createPackageFromTarballData(packed(name)));
  expect(result).toHaveProperty('types');
  expect('problems' in result && result.problems).toEqual([]);
});

const write = (file: string, text: string) => {
  writeFileSync(join(project, file), text);
  return join(project, file);
};

/** Paths of all declarations of the installed package. */
const declarations = (name: string) => {
  const folder = join(project, 'node_modules', '@flagsvc', name, 'dist');
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((file) => /\.d\.c?ts$/.test(file))
    .map((file) => join(folder, file));
};

test.each(SDKS)('%s is published with its sources and without tests', (name) => {
  const folder = join(project, 'node_modules', '@flagsvc', name);
  const files = readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name: file }) => relative(folder, join(parentPath, file)));
  const known =
    /^(package\.json|README\.md|LICENSE|bin\/.*\.mjs|src\/.*\.tsx?|dist\/.*\.(js|cjs|d\.ts|d\.cts)(\.map)?)$/;
  expect(files.filter((file) => !known.test(file) || /\.test(-d)?\.|\.bench\./.test(file))).toEqual([]);
  expect(files).toContain('LICENSE');
});

test.each(SDKS)('the declaration maps of %s lead to the lines of its sources', (name) => {
  const files = declarations(name);
  expect(files.length).toBeGreaterThan(2);
  let followed = 0;
  for (const file of files) {
    const text = readFileSync(file, 'utf8');
    expect(text).toContain(`//# sourceMappingURL=${basename(file)}.map`);
    const map = new SourceMap(JSON.parse(readFileSync(`${file}.map`, 'utf8')));
    for (const [line, found] of text.split('\n').entries()) {
      const match = /^export (?:declare const|interface|type) (\w+)/d.exec(found);
      if (!match) continue;
      const entry = map.findEntry(line, match.indices![1]![0]);
      if (!('originalSource' in entry)) throw new Error(`${file}: ${match[1]} leads nowhere`);
      const source = readFileSync(resolve(dirname(file), entry.originalSource), 'utf8');
      expect(source.split('\n')[entry.originalLine]?.slice(entry.originalColumn)).toMatch(
        new RegExp(`^${match[1]}\\b`),
      );
      followed++;
    }
  }
  expect(followed).toBeGreaterThan(4);
});

test.each(['mts', 'cts'])(
  'flags are typed in a .%s file of an installed project, without skipLibCheck',
  (kind) => {
    const file = write(
      `typed.${kind}`,
      `
    import type { Ruleset } from '@flagsvc/sdk-core';
    import { createTestRuleset } from '@flagsvc/sdk-core/testing';
    import { createNodeClient } from '@flagsvc/sdk-node';
    declare module '@flagsvc/sdk-core' {
      interface Flags { 'new-checkout': boolean; colour: 'red' | 'green' }
    }
    const bootstrap: Ruleset = createTestRuleset({ colour: 'red' });
    const client = createNodeClient({ apiKey: 'sdk-dev-x', baseUrl: 'http://127.0.0.1:9/api/v1', bootstrap });
    export const colour: 'red' | 'green' = client.flag('colour', { user_key: 'u' }, 'red');
    // @ts-expect-error No such flag.
    client.flag('color', { user_key: 'u' }, 'red');
    // @ts-expect-error No such variation.
    client.flag('colour', { user_key: 'u' }, 'blue');
    // @ts-expect-error Internals are private.
    client.snapshot();
  `,
    );
    const options = ['--strict', '--noEmit', '--module', 'nodenext', '--target', 'es2022'];
    const lib = ['--lib', 'es2022,dom'];
    const tsc = join(root, 'node_modules/typescript/bin/tsc');
    const { stdout, status } = spawnSync(process.execPath, [tsc, ...options, ...lib, file], {
      cwd: project,
      encoding: 'utf8',
    });
    expect([stdout, status]).toEqual(['', 0]);
  },
);

test("in pnpm's layout, an application can export values of the SDKs' types", () => {
  const folder = join(scratch, 'strict');
  const packages = join(folder, 'node_modules', '@flagsvc');
  mkdirSync(packages, { recursive: true });
  // Without sdk-core, which the application does not depend on directly.
  for (const name of SDKS.slice(1))
    symlinkSync(join(project, 'node_modules', '@flagsvc', name), join(packages, name));
  mkdirSync(join(project, 'node_modules', '@types'), { recursive: true });
  symlinkSync(join(root, 'node_modules/@types/react'), join(project, 'node_modules/@types/react'));
  const file = join(folder, 'flags.ts');
  writeFileSync(
    file,
    `
    import { createBrowserClient } from '@flagsvc/sdk-browser';
    import { createNodeClient } from '@flagsvc/sdk-node';
    import { useClientStatus, useFlagClient, useFlagDetails, useFlags } from '@flagsvc/sdk-react';
    import { createServerFlags } from '@flagsvc/sdk-react/server';
    import { createTestFlagClient } from '@flagsvc/sdk-react/testing';
    const options = { apiKey: 'sdk-dev-x', baseUrl: 'http://127.0.0.1:9/api/v1' };
    export const page = createBrowserClient({ ...options, context: {} });
    export const ofPage = [page.context(), page.evaluateAll(), page.flagDetails('a', 1), page.stats()] as const;
    export const node = createNodeClient(options);
    export const ofNode = [node.evaluateAll({}), node.explain('a', {}), node.bootstrap({}, '*')] as const;
    export const served = createServerFlags(node, {});
    export const ofServed = [served.bootstrap('*'), served.flagDetails('a', { b: 1 })] as const;
    export const useAll = () => [useFlags(), useFlagClient(), useClientStatus(), useFlagDetails('a', 1)] as const;
    export const tested = createTestFlagClient();
    export const ofTested = [tested.context(), tested.evaluateAll(), tested.tracked] as const;
  `,
  );
  const options = [
    '--strict',
    '--module',
    'nodenext',
    '--target',
    'es2022',
    '--declaration',
    '--outDir',
    'out',
  ];
  const tsc = join(root, 'node_modules/typescript/bin/tsc');
  const { stdout } = spawnSync(process.execPath, [tsc, ...options, file], { cwd: folder, encoding: 'utf8' });
  expect(stdout).toBe('');
  const declared = readFileSync(join(folder, 'out', 'flags.d.ts'), 'utf8').split('\n');
  expect(declared.filter((line) => line.includes('@flagsvc/sdk-core'))).toEqual([]);
});

/** A program that uses every entry point of the packages. */
const program = (format: 'esm' | 'cjs') => {
  const take = (names: string, from: string) =>
    format === 'esm' ? `import { ${names} } from '${from}';` : `const { ${names} } = require('${from}');`;
  const as = (name: string, own: string) => (format === 'esm' ? `${name} as ${own}` : `${name}: ${own}`);
  return `
    ${take('createEvaluator', '@flagsvc/sdk-core')}
    ${take('createTestRuleset', '@flagsvc/sdk-core/testing')}
    ${take('createRuleIndex', '@flagsvc/sdk-core/rule-index')}
    ${take('changedFlags', '@flagsvc/sdk-core/client')}
    ${take('createNodeClient', '@flagsvc/sdk-node')}
    ${take('createBrowserClient, localMode', '@flagsvc/sdk-browser')}
    ${take('createOpenFeatureProvider', '@flagsvc/sdk-browser/openfeature')}
    ${take(as('createOpenFeatureProvider', 'createServerProvider'), '@flagsvc/sdk-node/openfeature')}
    ${take('streaming', '@flagsvc/sdk-browser/streaming')}
    ${take(as('streaming', 'serverStreaming'), '@flagsvc/sdk-node/streaming')}
    ${take('writeFileAtomically', '@flagsvc/sdk-node/atomic-file')}
    ${take('useFlag', '@flagsvc/sdk-react')}
    const ruleset = createTestRuleset({ greeting: 'hello' });
    const options = { apiKey: 'sdk-dev-x', baseUrl: 'http://127.0.0.1:9/api/v1', bootstrap: ruleset, logger: false };
    const node = createNodeClient({ ...options, streaming: serverStreaming });
    const page = createBrowserClient({ ...options, mode: localMode(), context: { user_key: 'u' }, streaming });
    console.log([
      createEvaluator(ruleset, { createRuleIndex }).evaluate('greeting', {}).value,
      changedFlags(undefined, ruleset).length,
      node.flag('greeting', {}, ''),
      page.flag('greeting', ''),
      createOpenFeatureProvider(page).metadata.name,
      createServerProvider(node).metadata.name,
      typeof useFlag,
      typeof writeFileAtomically,
    ].join(' '));
    node.close({ timeoutMs: 0 });
    page.close({ timeoutMs: 0 });
  `;
};
const EXPECTED = 'hello 1 hello hello flagsvc-web flagsvc-node function function';
const run = (file: string) =>
  execFileSync(process.execPath, [file], { cwd: project, encoding: 'utf8' }).trim();

test('every entry point can be imported', () => {
  expect(run(write('program.mjs', program('esm')))).toBe(EXPECTED);
});

test('every entry point can be required', () => {
  expect(run(write('program.cjs', program('cjs')))).toBe(EXPECTED);
});

test('esbuild bundles every entry point', async () => {
  const entry = write('bundled.mjs', program('esm'));
  const outfile = join(project, 'esbuild.mjs');
  // One entry point requires modules of Node at run time.
  const banner = {
    js: `import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);`,
  };
  const { warnings } = await esbuild({
    entryPoints: [entry],
    outfile,
    bundle: true,
    format: 'esm',
    platform: 'node',
    banner,
    logLevel: 'silent',
  });
  expect(warnings).toEqual([]);
  expect(run(outfile)).toBe(EXPECTED);
});

test('Vite bundles every entry point', async () => {
  const entry = write('vite-entry.mjs', program('esm'));
  await vite({
    root: project,
    configFile: false,
    logLevel: 'error',
    ssr: { noExternal: true, target: 'node' },
    build: {
      ssr: entry,
      outDir: join(project, 'vite'),
      rollupOptions: { output: { entryFileNames: 'out.mjs' } },
    },
  });
  expect(run(join(project, 'vite', 'out.mjs'))).toBe(EXPECTED);
});
