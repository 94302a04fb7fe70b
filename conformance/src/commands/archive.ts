import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { listCaseChanges, readDatedCases, toChangelog } from '../suite/case-changes.ts';
import { loadSuite } from '../suite/suite.ts';
import { toTar } from '../suite/tar.ts';
import { parseOptions } from './options.ts';

/** The directories of the suite that an archive contains. */
const DIRECTORIES = ['scenarios', 'schema', 'vectors'];

/** Files of the suite that are not Markdown. */
const FILES = ['VERSION', 'index.json', 'profiles.json', 'requirements.json'];

/**
 * `archive`: writes the suite as `flagsvc-conformance-VERSION.tar.gz`, with its SHA-256 beside it. The same suite always
 * gives the same bytes, so that an author can pin the checksum.
 */
export const archive = async (args: readonly string[]): Promise<number> => {
  const { values } = parseOptions(args, { out: { type: 'string', default: '.' } });
  const { version, directory } = loadSuite();
  const name = `flagsvc-conformance-${version}`;
  const files = filesOf(directory).map((path) => ({ path, content: readFileSync(join(directory, path)) }));
  const changelog = toChangelog(listCaseChanges(readDatedCases(directory)));
  files.push(
    { path: 'CASES.md', content: Buffer.from(changelog) },
    { path: 'LICENSE', content: readLicense(directory) },
  );
  files.sort((left, right) => (left.path < right.path ? -1 : 1));
  const sums = files.map(({ path, content }) => `${sha256(content)}  ${path}\n`).join('');
  const entries = [...files, { path: 'SHA256SUMS', content: Buffer.from(sums) }];
  const tar = toTar(entries.map(({ path, content }) => ({ path: `${name}/${path}`, content })));
  const packed = gzipSync(tar, { level: 9 });
  mkdirSync(values.out, { recursive: true });
  const file = join(values.out, `${name}.tar.gz`);
  writeFileSync(file, packed);
  writeFileSync(`${file}.sha256`, `${sha256(packed)}  ${name}.tar.gz\n`);
  process.stdout.write(`${file}\nsha256 ${sha256(packed)}, unpacked ${sha256(tar)}\n`);
  return 0;
};

/** A published package has the licence beside the suite; in a checkout it is at the root. */
const readLicense = (directory: string) => {
  const beside = join(directory, 'LICENSE');
  return readFileSync(existsSync(beside) ? beside : join(directory, '..', 'LICENSE'));
};

const filesOf = (directory: string): string[] => [
  ...FILES,
  ...readdirSync(directory).filter((name) => name.endsWith('.md')),
  ...DIRECTORIES.flatMap((folder) =>
    readdirSync(join(directory, folder), { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) =>
        join(entry.parentPath, entry.name)
          .slice(directory.length + 1)
          .replaceAll('\\', '/'),
      ),
  ),
];

const sha256 = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex');
