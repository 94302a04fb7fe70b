/** The entry point for React Native, in Hermes. `npm run test:hermes` installs the engine. */
import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createTestFlag, createTestRuleset } from '@flagsvc/sdk-core/testing';
import { build } from 'esbuild';
import ts from 'typescript';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { expectedAnswers } from './browser/expected-answers.ts';

const folder = join(import.meta.dirname, 'hermes');
const engine = join(folder, 'node_modules', 'hermes-engine-cli', 'linux64-bin', 'hermes');
const lacksHermes = process.platform !== 'linux' || process.arch !== 'x64' || !existsSync(engine);
const scratch = mkdtempSync(join(tmpdir(), 'flagsvc-hermes-'));
afterAll(() => rmSync(scratch, { recursive: true }));

/**
 * Runs a file in the engine and returns the lines that it prints. As Metro does for this engine, it lowers classes, async
 * functions and variables of blocks, which the engine lacks.
 */
const runInHermes = async (entry: string, values: Readonly<Record<string, string>>) => {
  const { outputFiles } = await build({
    entryPoints: [join(folder, entry)],
    bundle: true,
    write: false,
    format: 'iife',
    target: 'es2015',
    // As Metro: without the field `browser`, whose files expect a browser's globals.
    mainFields: ['module', 'main'],
    conditions: ['@flagsvc/source'],
    logLevel: 'error',
  });
  const compilerOptions = {
    target: ts.ScriptTarget.ES5,
    downlevelIteration: true,
    ignoreDeprecations: '6.0',
  };
  const code = ts.transpileModule(outputFiles[0]!.text, { compilerOptions }).outputText;
  const file = join(scratch, `${entry}.js`);
  const constants = Object.entries(values).map(([name, text]) => `var ${name} = ${JSON.stringify(text)};\n`);
  writeFileSync(file, constants.join('') + code);
  const args = ['-Xmicrotask-queue', '-O', '-w', file];
  return execFileSync(engine, args, { encoding: 'utf8', maxBuffer: 1e9 }).trimEnd().split('\n');
};

const RULESET = createTestRuleset([
  createTestFlag('pro-only', false, {
    variations: [
      { key: 'off', value: false },
      { key: 'on', value: true },
    ],
    default_variation: 'off',
    targeting_rules: [
      {
        id: 'rule_1',
        priority: 1,
        conditions: [
          { attribute: 'plan', operator: 'is', value: 'pro' },
          { attribute: 'version', operator: 'version_gt', value: '2.9' },
          { attribute: 'email', operator: 'matches_regex', value: '^[a-z]+@b\\.de$' },
        ],
        variation: 'on',
      },
    ],
  }),
]);

let lines = new Map<string, unknown>();
beforeAll(async () => {
  if (lacksHermes) return;
  const printed = await runInHermes('app.ts', { RULESET: JSON.stringify(RULESET) });
  lines = new Map(printed.map((line) => JSON.parse(line)));
});

test.skipIf(lacksHermes)(
  'in Hermes, an app answers from its defaults, the server, and then its storage',
  () => {
    expect(Object.fromEntries(lines)).toEqual({
      'first read': 'default',
      'after the answer': ['one', 'ready', ['greeting']],
      kept: 1,
      'sent in the background': ['/sdk/events body'],
      'started in the background': ['one', 'cached'],
      'active again': ['two', 'ready'],
      'listeners left': 0,
      'evaluated in the app': false,
      'evaluated for another user': true,
    });
  },
);

test.skipIf(lacksHermes)(
  'Hermes gives the same answer as Node to every call in the vectors that a page can make',
  async () => {
    const { questions, lines: expected } = expectedAnswers();
    const answers = await runInHermes('vectors.ts', { QUESTIONS: questions });
    expect(answers.filter((line, at) => line !== expected[at])).toEqual([]);
    expect(answers).toHaveLength(expected.length);
  },
  // The engine interprets: half a minute on an idle machine.
  400_000,
);
