import { execFileSync } from 'node:child_process';
import { lstatSync, readdirSync, readFileSync } from 'node:fs';
import { basename, join, relative, resolve, sep } from 'node:path';
import { CliError, EXIT } from '../output/errors.ts';

/** A place of a file that names a flag; lines and columns begin at 1. */
export interface FoundPlace {
  readonly flag_key: string;
  /** From the root of the repository, with `/`. */
  readonly path: string;
  readonly line: number;
  readonly column: number;
}

/** What is read, and what git says of it. */
export interface CodeFolder {
  /** Where paths begin. */
  readonly root: string;
  /** From there, with `/`; in the order of their names. */
  readonly paths: readonly string[];
  /** Undefined where there is no git, or it does not know. */
  readonly repository: string | undefined;
  readonly branch: string | undefined;
  readonly revision: string | undefined;
}

const GIT_OUTPUT_MAX = 256 * 1024 * 1024;
/** Larger ones are made by machines. */
const FILE_BYTES_MAX = 2 * 1024 * 1024;
/** What a folder without git is not searched for. */
const SKIPPED: ReadonlySet<string> = new Set(['.git', '.hg', '.svn', 'node_modules']);

/** The keys that stand alone between quotes, with the places. */
export function findKeys(text: string, keys: ReadonlySet<string>): readonly Omit<FoundPlace, 'path'>[] {
  const found: Omit<FoundPlace, 'path'>[] = [];
  for (const [index, line] of text.split('\n').entries()) {
    for (const match of line.matchAll(/(["'`])([a-z0-9-]{1,100})\1/g)) {
      const flag_key = match[2]!;
      if (keys.has(flag_key)) found.push({ flag_key, line: index + 1, column: match.index + 2 });
    }
  }
  return found;
}

/** Every place of the files that names one of the keys. Binary, long and vanished files are passed over. */
export function scanFiles(
  { root, paths }: Pick<CodeFolder, 'root' | 'paths'>,
  keys: ReadonlySet<string>,
): { readonly files: number; readonly places: readonly FoundPlace[] } {
  let files = 0;
  const places: FoundPlace[] = [];
  for (const path of paths) {
    const text = readText(join(root, path));
    if (text === undefined) continue;
    files++;
    for (const place of findKeys(text, keys)) places.push({ ...place, path });
  }
  return { files, places };
}

/** What may be read of a file: links lead elsewhere and are not followed. */
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

/** The files below a folder: those that git tracks, else all. Throws when there is no such folder. */
export function openFolder(folder: string): CodeFolder {
  const root = git(folder, 'rev-parse', '--show-toplevel')?.trim();
  if (root !== undefined) {
    const listed = git(folder, 'ls-files', '-z', '--full-name') ?? '';
    return {
      root,
      paths: listed.split('\0').filter(Boolean).sort(),
      repository: nameOf(git(folder, 'remote', 'get-url', 'origin')?.trim() ?? basename(root)),
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
    const reason = code === 'ENOENT' ? 'There is no such folder' : message;
    throw new CliError(`${folder} cannot be read: ${reason}.`, { code: 'NO_FOLDER', exitCode: EXIT.usage });
  }
}

/** What git answers; undefined when it cannot. */
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

/** `github.com/acme/shop`, whatever way the remote is written; never with what opens it. */
export function nameOf(remote: string): string {
  const url = URL.canParse(remote) ? new URL(remote) : undefined;
  // As ssh has it: git@github.com:acme/shop.git
  const [, host, path] = /^(?:[^/@]+@)?([^/:]+):(?!\/)(.+)$/.exec(remote) ?? [];
  const local = host === undefined ? basename(remote) : `${host}/${path}`;
  const name = url === undefined || url.host === '' ? local : url.hostname + url.pathname;
  return name
    .replace(/\/+$/, '')
    .replace(/\.git$/, '')
    .replace(/\s+/g, '-');
}

/** How the large hosts write the address of a line; undefined for others. */
export function urlTemplateOf(repository: string): string | undefined {
  const [host = ''] = repository.split('/');
  if (host === 'github.com') return 'https://{repository}/blob/{revision}/{path}#L{line}';
  if (host === 'bitbucket.org') return 'https://{repository}/src/{revision}/{path}#lines-{line}';
  if (/(^|\.)gitlab\./.test(host)) return 'https://{repository}/-/blob/{revision}/{path}#L{line}';
  return undefined;
}
