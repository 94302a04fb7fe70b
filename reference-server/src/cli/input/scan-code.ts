import { execFileSync } from 'node:child_process';
import { lstatSync, readdirSync, readFileSync } from 'node:fs';
import { basename, join, relative, resolve, sep } from 'node:path';
import { CliError, EXIT } from '../output/errors.ts';

/** A flag key in a file. Lines and columns begin at 1. */
export interface CodeReference {
  readonly flag_key: string;
  /** Relative to the root of the repository, with `/`. */
  readonly path: string;
  readonly line: number;
  readonly column: number;
}

/** A folder to scan. */
export interface CodeFolder {
  /** The root of the git repository, or the folder itself if it is not in a repository. */
  readonly root: string;
  /** Relative to `root`, with `/`, sorted. */
  readonly paths: readonly string[];
  /**
   * The name of the repository, from its remote `origin` or, without one, from its folder. Like `branch` and
   * `revision`, it is undefined outside a git repository.
   */
  readonly repository: string | undefined;
  readonly branch: string | undefined;
  readonly revision: string | undefined;
}

const GIT_OUTPUT_MAX = 256 * 1024 * 1024;
/** Larger files are skipped, because they are usually generated. */
const FILE_BYTES_MAX = 2 * 1024 * 1024;
/** Folders that are skipped outside a git repository. */
const SKIPPED: ReadonlySet<string> = new Set(['.git', '.hg', '.svn', 'node_modules']);

/** Finds keys in quotation marks; the quoted text must be the key alone. */
export function findKeys(text: string, keys: ReadonlySet<string>): readonly Omit<CodeReference, 'path'>[] {
  const found: Omit<CodeReference, 'path'>[] = [];
  for (const [index, line] of text.split('\n').entries()) {
    for (const match of line.matchAll(/(["'`])([a-z0-9-]{1,100})\1/g)) {
      const flag_key = match[2]!;
      if (keys.has(flag_key)) found.push({ flag_key, line: index + 1, column: match.index + 2 });
    }
  }
  return found;
}

/** All references to the keys. Skips binary, large and deleted files. */
export function scanFiles(
  { root, paths }: Pick<CodeFolder, 'root' | 'paths'>,
  keys: ReadonlySet<string>,
): { readonly files: number; readonly references: readonly CodeReference[] } {
  let files = 0;
  const references: CodeReference[] = [];
  for (const path of paths) {
    const text = readText(join(root, path));
    if (text === undefined) continue;
    files++;
    for (const found of findKeys(text, keys)) references.push({ ...found, path });
  }
  return { files, references };
}

/** The text of a file; undefined for symbolic links, and for large, binary and unreadable files. */
function readText(file: string): string | undefined {
  try {
    const stat = lstatSync(file);
    if (!stat.isFile() || stat.size > FILE_BYTES_MAX) return undefined;
    const text = readFileSync(file, 'utf8');
    return text.includes('\0') ? undefined : text;
  } catch {
    return undefined;
  }
}

/** Lists the files that git tracks below a folder, or all files outside a git repository. Throws NO_FOLDER. */
export function openFolder(folder: string): CodeFolder {
  const root = git(folder, 'rev-parse', '--show-toplevel')?.trim();
  if (root !== undefined) {
    const listed = git(folder, 'ls-files', '-z', '--full-name') ?? '';
    return {
      root,
      paths: listed.split('\0').filter(Boolean).sort(),
      repository: repositoryName(git(folder, 'remote', 'get-url', 'origin')?.trim() ?? basename(root)),
      branch: git(folder, 'symbolic-ref', '--quiet', '--short', 'HEAD')?.trim(),
      revision: git(folder, 'rev-parse', '--verify', '--quiet', 'HEAD')?.trim(),
    };
  }
  const unknown = { repository: undefined, branch: undefined, revision: undefined };
  return { root: resolve(folder), paths: listFiles(resolve(folder)), ...unknown };
}

function listFiles(root: string, folder = root): string[] {
  try {
    return readdirSync(folder, { withFileTypes: true })
      .filter(({ name }) => !SKIPPED.has(name))
      .flatMap((entry) => {
        const path = join(folder, entry.name);
        if (entry.isDirectory()) return listFiles(root, path);
        return entry.isFile() ? [relative(root, path).split(sep).join('/')] : [];
      })
      .sort();
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    const reason = code === 'ENOENT' ? 'the folder does not exist' : message;
    throw new CliError(`Cannot read ${folder}: ${reason}.`, { code: 'NO_FOLDER', exitCode: EXIT.usage });
  }
}

/** The output of git; undefined when it fails. */
function git(folder: string, ...words: string[]): string | undefined {
  try {
    return execFileSync('git', ['-C', folder, ...words], {
      encoding: 'utf8',
      maxBuffer: GIT_OUTPUT_MAX,
      stdio: ['ignore', 'pipe', 'ignore'],
    });
  } catch {
    return undefined;
  }
}

/** `github.com/acme/shop` for any form of remote, without credentials. */
export function repositoryName(remote: string): string {
  const url = URL.canParse(remote) ? new URL(remote) : undefined;
  // The scp-like form: git@github.com:acme/shop.git
  const [, host, path] = /^(?:[^/@]+@)?([^/:]+):(?!\/)(.+)$/.exec(remote) ?? [];
  const local = host === undefined ? basename(remote) : `${host}/${path}`;
  const name = url === undefined || url.host === '' ? local : url.hostname + url.pathname;
  return name
    .replace(/\/+$/, '')
    .replace(/\.git$/, '')
    .replace(/\s+/g, '-');
}

/** The template of links to a line of code on GitHub, GitLab and Bitbucket; undefined for other hosts. */
export function urlTemplateOf(repository: string): string | undefined {
  const [host = ''] = repository.split('/');
  if (host === 'github.com') return 'https://{repository}/blob/{revision}/{path}#L{line}';
  if (host === 'bitbucket.org') return 'https://{repository}/src/{revision}/{path}#lines-{line}';
  if (/(^|\.)gitlab\./.test(host)) return 'https://{repository}/-/blob/{revision}/{path}#L{line}';
  return undefined;
}
