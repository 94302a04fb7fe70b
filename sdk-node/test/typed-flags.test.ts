import { existsSync } from 'node:fs';
import { join } from 'node:path';
import ts from 'typescript';
import { expect, test } from 'vitest';

/** What the compiler says of a fixture, with the libraries checked, too. */
const errorsIn = (fixture: string, customConditions: string[]): string[] => {
  const program = ts.createProgram([join(import.meta.dirname, 'fixtures', fixture)], {
    strict: true,
    noEmit: true,
    skipLibCheck: false,
    target: ts.ScriptTarget.ES2022,
    module: ts.ModuleKind.NodeNext,
    moduleResolution: ts.ModuleResolutionKind.NodeNext,
    lib: ['lib.es2022.d.ts', 'lib.esnext.disposable.d.ts'],
    types: ['node'],
    allowImportingTsExtensions: true,
    customConditions,
  });
  return ts
    .getPreEmitDiagnostics(program)
    .filter(({ file }) => !file?.fileName.includes('/node_modules/'))
    .map(({ messageText }) => ts.flattenDiagnosticMessageText(messageText, '\n'));
};
// What users get is the build; without one, the sources stand in.
const conditions = existsSync(join(import.meta.dirname, '../dist/index.d.ts')) ? [] : ['@flagsvc/source'];

test.each(['typed-flags.ts', 'untyped-flags.ts'])(
  '%s compiles as it says',
  (fixture) => {
    expect(errorsIn(fixture, conditions)).toEqual([]);
  },
  60_000,
);
