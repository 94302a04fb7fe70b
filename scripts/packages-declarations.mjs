// Writes the declarations of a package, one per source file, with maps that lead an editor to the sources.
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import ts from 'typescript';

/** A relative import of a source file. */
const SPECIFIER = /(?<=\b(?:from|import) '|\bimport\('|\bimport\(")(\.{1,2}\/[^'"]+)\.tsx?(?=['"])/g;

/**
 * Writes the declarations that the manifest's `types` need, for `import` (`.d.ts`) and for `require` (`.d.cts`). No
 * type check is needed, because the sources have explicit types (`isolatedDeclarations`). Throws when one is missing.
 */
export function writeDeclarations(folder) {
  const manifest = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
  const host = { ...ts.sys, onUnRecoverableConfigFileDiagnostic: fail };
  const { options } = ts.getParsedCommandLineOfConfigFile(join(folder, 'tsconfig.json'), {}, host);
  const compilerOptions = { ...options, noEmit: false, declarationMap: true };
  const entries = JSON.stringify(manifest.exports).matchAll(/\.\/dist\/([\w-]+)\.d\.(c?ts)/g);
  const wanted = new Set([...entries].map(([, name, kind]) => `${name} ${kind}`));
  // The loop also visits the files that it adds to the set.
  for (const entry of wanted) {
    const [name, kind] = entry.split(' ');
    const source = ['.ts', '.tsx'].map((end) => join(folder, 'src', name + end)).find(existsSync);
    const { outputText, sourceMapText, diagnostics } = ts.transpileDeclaration(readFileSync(source, 'utf8'), {
      fileName: source,
      compilerOptions,
    });
    for (const diagnostic of diagnostics) fail(diagnostic);
    const target = join(folder, 'dist', `${name}.d.${kind}`);
    const text = outputText
      .replace(SPECIFIER, (_, path) => {
        wanted.add(`${join(dirname(name), path)} ${kind}`);
        return path + (kind === 'ts' ? '.js' : '.cjs');
      })
      .replace(/(?<=sourceMappingURL=).*/, `${target.split('/').pop()}.map`);
    const map = {
      ...JSON.parse(sourceMapText),
      file: undefined,
      sources: [relative(dirname(target), source)],
    };
    mkdirSync(dirname(target), { recursive: true });
    writeFileSync(target, text);
    writeFileSync(`${target}.map`, JSON.stringify(map));
  }
}

function fail({ file, messageText }) {
  throw new Error(`${file?.fileName ?? ''}: ${ts.flattenDiagnosticMessageText(messageText, '\n')}`);
}
