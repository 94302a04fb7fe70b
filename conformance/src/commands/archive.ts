import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { listCaseChanges, readDatedCases, toCaseTable, toChangelog } from '../suite/case-changes.ts';
import { loadSuite } from '../suite/suite.ts';
import { type TarEntry, toTar } from '../suite/tar.ts';
import { EXAMPLES, findExample, isExampleFile } from './example.ts';
import { parseOptions } from './options.ts';

/** The directories of the suite that an archive contains; `adapters/lib` is a model for authors of adapters. */
const DIRECTORIES = ['adapters/lib', 'ofrep', 'scenarios', 'schema', 'vectors'];

/** Files of the suite that are not Markdown. */
const FILES = ['VERSION', 'index.json', 'profiles.json', 'requirements.json'];

/**
 * `archive`: writes the suite as `flagsvc-conformance-VERSION.tar.gz`, with its SHA-256 beside it. The same suite always
 * gives the same bytes, so that an author can pin the checksum.
 */
export const archive = async (args: readonly string[]): Promise<number> => {
  const { values } = parseOptions(args, { out: { type: 'string', default: '.' } });
  const { name, tar, packed } = packSuite();
  mkdirSync(values.out, { recursive: true });
  const file = join(values.out, `${name}.tar.gz`);
  writeFileSync(file, packed);
  writeFileSync(`${file}.sha256`, `${sha256(packed)}  ${name}.tar.gz\n`);
  process.stdout.write(`${file}\nsha256 ${sha256(packed)}, unpacked ${sha256(tar)}\n`);
  return 0;
};

/** The suite as an archive. Each of its paths begins with `name`, and `SHA256SUMS` lists every other file. */
export const packSuite = (): { readonly name: string; readonly tar: Buffer; readonly packed: Buffer } => {
  const { version, directory } = loadSuite();
  const name = `flagsvc-conformance-${version}`;
  const cases = readDatedCases(directory);
  const files = [
    ...[...FILES, ...pagesOf(directory)].map((path) => readEntry(directory, path)),
    ...DIRECTORIES.flatMap((folder) => readFolder(join(directory, folder), folder)),
    ...Object.values(EXAMPLES).flatMap((example) =>
      readFolder(findExample(example), `examples/${example}`).filter(({ path }) => isExampleFile(path)),
    ),
    { path: 'CASES.md', content: Buffer.from(toChangelog(listCaseChanges(cases))) },
    { path: 'cases.csv', content: Buffer.from(toCaseTable(cases)) },
    { path: 'LICENSE', content: readLicense(directory) },
  ].sort((left, right) => (left.path < right.path ? -1 : 1));
  const sums = files.map(({ path, content }) => `${sha256(content)}  ${path}\n`).join('');
  const entries = [...files, { path: 'SHA256SUMS', content: Buffer.from(sums) }];
  const tar = toTar(entries.map(({ path, content }) => ({ path: `${name}/${path}`, content })));
  return { name, tar, packed: gzipSync(tar, { level: 9 }) };
};

/** The pages of the suite. An unpacked archive has a list of cases, which is made anew. */
const pagesOf = (directory: string): string[] =>
  readdirSync(directory).filter((name) => name.endsWith('.md') && name !== 'CASES.md');

const readEntry = (directory: string, path: string): TarEntry => ({
  path,
  content: readFileSync(join(directory, path)),
});

/** The files below a folder, with paths that begin with `prefix`. */
const readFolder = (folder: string, prefix: string): TarEntry[] =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .map((file) => ({
      path: `${prefix}${file.slice(folder.length).replaceAll('\\', '/')}`,
      content: readFileSync(file),
    }));

/** A published package has the licence beside the suite; in a checkout it is at the root. */
const readLicense = (directory: string): Buffer => {
  const beside = join(directory, 'LICENSE');
  return readFileSync(existsSync(beside) ? beside : join(directory, '..', 'LICENSE'));
};

const sha256 = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex');
