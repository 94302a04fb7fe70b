// Checks the types of the named projects, by default all, and lists the projects with errors. Each project checks only
// the files that it lists, because its imports are checked by their own project. A file that no project lists is checked
// by every project that imports it.
import { resolve } from 'node:path';
import ts from 'typescript';
import { root } from './ensure.mjs';
import { projects } from './packages.mjs';

process.chdir(root);
const all = projects();
const parsed = new Map(all.map((project) => [project, parseProject(project)]));
const listed = new Set([...parsed.values()].flatMap(({ fileNames }) => fileNames));
const sources = new Map();

const named = process.argv.slice(2);
const unknown = named.filter((project) => !parsed.has(project));
if (unknown.length > 0) {
  console.error(`There is no project ${unknown.join(', ')}. Known: ${all.join(', ')}.`);
  process.exit(2);
}
const wrong = (named.length > 0 ? named : all).filter((project) => !hasRightTypes(project));
if (wrong.length > 0) console.error(`Type errors in ${wrong.join(', ')}.`);
process.exitCode = wrong.length > 0 ? 1 : 0;

/** Prints the type errors of a project. True if there are none. */
function hasRightTypes(project) {
  const { fileNames, options, errors } = parsed.get(project);
  const program = ts.createProgram({ rootNames: fileNames, options, host: createHost(options) });
  const own = new Set(fileNames);
  const found = program
    .getSourceFiles()
    .filter(({ fileName }) => own.has(fileName) || isUnlisted(program, fileName))
    .flatMap((file) => ts.getPreEmitDiagnostics(program, file));
  const diagnostics = ts.sortAndDeduplicateDiagnostics([...errors, ...found]);
  if (diagnostics.length > 0) process.stdout.write(format(diagnostics));
  return diagnostics.length === 0;
}

function isUnlisted(program, fileName) {
  const file = program.getSourceFile(fileName);
  return !listed.has(fileName) && !file.isDeclarationFile && !program.isSourceFileFromExternalLibrary(file);
}

/** Parses each file once for all projects, because no option that affects parsing differs between them. */
function createHost(options) {
  const host = ts.createCompilerHost(options);
  const read = host.getSourceFile;
  host.getSourceFile = (fileName, how, ...rest) => {
    const key = `${how.impliedNodeFormat} ${fileName}`;
    if (!sources.has(key)) sources.set(key, read(fileName, how, ...rest));
    return sources.get(key);
  };
  return host;
}

function parseProject(project) {
  const host = { ...ts.sys, onUnRecoverableConfigFileDiagnostic: (error) => console.log(format([error])) };
  const { fileNames, options, errors } = ts.getParsedCommandLineOfConfigFile(project, {}, host);
  return { fileNames: fileNames.map((fileName) => resolve(fileName)), options, errors };
}

function format(diagnostics) {
  return ts.formatDiagnosticsWithColorAndContext(diagnostics, {
    getCanonicalFileName: (fileName) => fileName,
    getCurrentDirectory: () => root,
    getNewLine: () => '\n',
  });
}
