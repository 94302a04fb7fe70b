/** Reads the repository's sources: their files, imports, and the lengths of their functions. */
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import ts from 'typescript';
import { rooms } from './packages.mjs';

export const root: string = join(import.meta.dirname, '..');

/** One import of a file. */
export interface Import {
  readonly specifier: string;
  /** True for a type import, which has no effect at run time. */
  readonly isType: boolean;
  /** True for `import()`, which loads a part of the program when it is needed. */
  readonly isLazy?: boolean;
}

/** One source file of a package. */
export interface Source {
  /** From the root, with slashes. */
  readonly path: string;
  readonly text: string;
  readonly imports: readonly Import[];
  readonly lines: number;
  readonly functions: readonly FunctionShape[];
}

export interface FunctionShape {
  readonly name: string;
  readonly lines: number;
  /** Positional parameters; `this` does not count. */
  readonly parameters: number;
}

/** All files that git tracks, and untracked ones that it does not ignore. */
export function trackedFiles(): readonly string[] {
  const out = execFileSync('git', ['ls-files', '-co', '--exclude-standard'], { cwd: root, encoding: 'utf8' });
  return out.split('\n').filter((path) => path !== '' && existsSync(join(root, path)));
}

/** The sources that are published: `src/` of every package, without tests. */
export function shippedSources(): readonly Source[] {
  const shipped = new RegExp(`^(${rooms.join('|')})/src/.*\\.tsx?$`);
  return trackedFiles()
    .filter(
      (path) =>
        shipped.test(path) && !/\.(test|test-d|contract)\.tsx?$/.test(path) && !path.includes('/generated/'),
    )
    .map(readSource);
}

function readSource(path: string): Source {
  const text = readFileSync(join(root, path), 'utf8');
  const file = ts.createSourceFile(path, text, ts.ScriptTarget.ES2022, true);
  const imports: Import[] = [];
  const functions: FunctionShape[] = [];
  const visit = (node: ts.Node): void => {
    if ((ts.isImportDeclaration(node) || ts.isExportDeclaration(node)) && node.moduleSpecifier) {
      imports.push({ specifier: (node.moduleSpecifier as ts.StringLiteral).text, isType: isTypeOnly(node) });
    }
    if (ts.isImportTypeNode(node) && ts.isLiteralTypeNode(node.argument)) {
      imports.push({ specifier: (node.argument.literal as ts.StringLiteral).text, isType: true });
    }
    if (
      ts.isCallExpression(node) &&
      node.expression.kind === ts.SyntaxKind.ImportKeyword &&
      ts.isStringLiteral(node.arguments[0]!)
    ) {
      imports.push({ specifier: node.arguments[0].text, isType: false, isLazy: true });
    }
    if (ts.isFunctionLike(node) && 'body' in node && node.body)
      functions.push({
        name: nameOf(node),
        lines: lineCount(file, node),
        parameters: node.parameters.filter(({ name }) => name.getText() !== 'this').length,
      });
    ts.forEachChild(node, visit);
  };
  visit(file);
  return { path, text, imports, lines: text.split('\n').length - 1, functions };
}

function isTypeOnly(node: ts.ImportDeclaration | ts.ExportDeclaration): boolean {
  if (ts.isExportDeclaration(node)) {
    const named =
      node.exportClause && ts.isNamedExports(node.exportClause) ? node.exportClause.elements : undefined;
    return (
      node.isTypeOnly ||
      (named !== undefined && named.length > 0 && named.every((element) => element.isTypeOnly))
    );
  }
  const clause = node.importClause;
  if (!clause) return false;
  if (clause.phaseModifier === ts.SyntaxKind.TypeKeyword) return true;
  const named =
    clause.namedBindings && ts.isNamedImports(clause.namedBindings)
      ? clause.namedBindings.elements
      : undefined;
  return (
    !clause.name && named !== undefined && named.length > 0 && named.every((element) => element.isTypeOnly)
  );
}

function nameOf(node: ts.SignatureDeclaration): string {
  if (node.name) return node.name.getText();
  return ts.isVariableDeclaration(node.parent) ? node.parent.name.getText() : '';
}

function lineCount(file: ts.SourceFile, node: ts.Node): number {
  const lineOf = (position: number) => file.getLineAndCharacterOfPosition(position).line;
  return lineOf(node.getEnd()) - lineOf(node.getStart()) + 1;
}

/** The path that a relative import in `from` leads to, from the root. */
export function resolveImport(from: string, specifier: string): string {
  return join(dirname(from), specifier).replaceAll('\\', '/');
}
