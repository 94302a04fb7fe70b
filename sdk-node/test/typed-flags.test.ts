import { existsSync } from 'node:fs';
import { join } from 'node:path';
import ts from 'typescript';
import { expect, test } from 'vitest';

/** The compiler's output for a fixture; libraries are checked as well. */
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
// Compiles against the build, as users do, or against the sources if there is no build.
const conditions = existsSync(join(import.meta.dirname, '../dist/index.d.ts')) ? [] : ['@flagsvc/source'];

test.each(['typed-flags.ts', 'untyped-flags.ts'])(
  '%s compiles with exactly the errors that it expects',
  (fixture) => {
    expect(errorsIn(fixture, conditions)).toEqual([]);
  },
  60_000,
);
