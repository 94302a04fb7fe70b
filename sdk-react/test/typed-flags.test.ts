import { existsSync } from 'node:fs';
import { join } from 'node:path';
import ts from 'typescript';
import { expect, test } from 'vitest';

/** What the compiler says of a fixture and of every declaration that it reaches: no library is skipped. */
const errorsIn = (fixture: string, customConditions: string[]): string[] => {
  const program = ts.createProgram([join(import.meta.dirname, 'fixtures', fixture)], {
    strict: true,
    noEmit: true,
    skipLibCheck: false,
    exactOptionalPropertyTypes: true,
    target: ts.ScriptTarget.ES2022,
    module: ts.ModuleKind.NodeNext,
    moduleResolution: ts.ModuleResolutionKind.NodeNext,
    jsx: ts.JsxEmit.ReactJSX,
    lib: ['lib.es2022.d.ts', 'lib.dom.d.ts'],
    types: [],
    allowImportingTsExtensions: true,
    customConditions,
  });
  return ts
    .getPreEmitDiagnostics(program)
    .map(
      ({ file, messageText }) => `${file?.fileName}: ${ts.flattenDiagnosticMessageText(messageText, '\n')}`,
    );
};
// What users get is the build; without one, the sources stand in.
const conditions = existsSync(join(import.meta.dirname, '../dist/index.d.ts')) ? [] : ['@flagsvc/source'];

test.each(['typed-flags.tsx', 'untyped-flags.ts', 'optional.tsx'])(
  '%s compiles as it says',
  (fixture) => {
    expect(errorsIn(fixture, conditions)).toEqual([]);
  },
  60_000,
);
