import { mkdtempSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createTestFlag, createTestRuleset } from '@flagsvc/sdk-core/testing';
import { flagsvc, type KnownFlagsOptions } from '@flagsvc/sdk-node/eslint';
import { ESLint } from 'eslint';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { writeDeclaration } from '../src/typegen/declaration.ts';
import { readDeclaration } from '../src/typegen/read-declaration.ts';

const KEYS = [
  'new-checkout',
  'plain',
  "it's",
  'say "no"',
  'a\\b',
  "\\'",
  'a\nb',
  '__proto__',
  'x: y',
  '{',
  '',
];
const declarationOf = (...keys: string[]) =>
  writeDeclaration(
    createTestRuleset([
      ...keys.map((key) => createTestFlag(key, { 'nested: key': 1, text: "it's" })),
      createTestFlag('old', true, { archived: true }),
    ]),
  );

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'flagsvc-eslint-'));
  writeFileSync(join(folder, 'flags.d.ts'), declarationOf(...KEYS));
});
afterEach(() => rmSync(folder, { recursive: true }));

/** The messages of the rule for this code, with the lines. */
const lint = async (code: string, options: KnownFlagsOptions = { declaration: 'flags.d.ts' }) => {
  const eslint = new ESLint({
    cwd: folder,
    overrideConfigFile: true,
    overrideConfig: {
      plugins: { flagsvc },
      rules: { 'flagsvc/known-flags': ['error', options] },
      languageOptions: { parserOptions: { ecmaFeatures: { jsx: true } } },
    } as ESLint.Options['overrideConfig'] & object,
  });
  const [result] = await eslint.lintText(code, { filePath: join(folder, 'code.js') });
  return result!.messages.map(({ line, message }) => `${line}: ${message}`);
};

test('a declaration is read back with every key, and with what is archived', () => {
  for (const text of [declarationOf(...KEYS), declarationOf(...KEYS).replaceAll('\n', '\r\n')]) {
    const flags = readDeclaration(text);
    expect([...flags.keys()].sort()).toEqual([...KEYS, 'old'].sort());
    expect([...flags].filter(([, { isArchived }]) => isArchived).map(([key]) => key)).toEqual(['old']);
  }
});

test('unknown and archived keys are problems in every way to read a flag', async () => {
  const problems = await lint(
    [
      `client.flag('new-chekout', false);`,
      `this.client.flagDetails("old", user, true);`,
      'useFlag(`new-chekout`, false);',
      `useFlagDetails('old', true), useSuspenseFlag('old', true);`,
      `const part = <Flag flagKey="new-chekout" />, other = <Flag flagKey={'old'} />;`,
    ].join('\n'),
  );
  const unknown =
    'There is no flag "new-chekout" in flags.d.ts. Correct the key, or run flagsvc-typegen again.';
  const archived = 'The flag "old" is archived: it serves its default variation to every user. Remove it.';
  expect(problems).toEqual([
    `1: ${unknown}`,
    `2: ${archived}`,
    `3: ${unknown}`,
    `4: ${archived}`,
    `4: ${archived}`,
    `5: ${unknown}`,
    `5: ${archived}`,
  ]);
});

test('known keys, keys in variables and functions of others are no problems', async () => {
  const code = [
    ...KEYS.map((key) => `client.flag(${JSON.stringify(key)}, false);`),
    'client.flag(key, false);',
    'client.flag(`a-$' + '{key}`, false);',
    `yargs.flag('verbose');`,
    `flag('verbose', false);`,
    `client['flag']('computed', 1);`,
    'useFlag();',
    'const part = <Flag flagKey />;',
    `const input = <Input name="new-chekout" />;`,
  ].join('\n');
  expect(await lint(code)).toEqual([]);
});

test('more functions are checked by option', async () => {
  const options = { declaration: 'flags.d.ts', functions: ['isOn'] };
  expect(await lint(`isOn('gone'); isOn('plain');`, options)).toHaveLength(1);
});

test('a declaration that is missing or of another origin is one problem per file, with its remedy', async () => {
  expect(await lint(`useFlag('a', 1); useFlag('b', 1);`, {})).toEqual([
    '1: src/flags.d.ts cannot be read (ENOENT). Write it with flagsvc-typegen --out.',
  ]);
  writeFileSync(join(folder, 'flags.d.ts'), 'export {};');
  expect(await lint(`useFlag('a', 1);`)).toEqual([
    '1: flags.d.ts cannot be read (not written by flagsvc-typegen). Write it with flagsvc-typegen --out.',
  ]);
});

test('a changed declaration is read again', async () => {
  expect(await lint(`useFlag('fresh', 1);`)).toHaveLength(1);
  writeFileSync(join(folder, 'flags.d.ts'), declarationOf('fresh'));
  utimesSync(join(folder, 'flags.d.ts'), 1, 1);
  expect(await lint(`useFlag('fresh', 1);`)).toEqual([]);
});
