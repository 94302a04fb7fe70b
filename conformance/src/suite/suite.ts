import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Level } from '../report/results.ts';
import type { JsonObject } from './json-value.ts';
import { isPartOf, type Lifetime } from './lifetime.ts';
import { readSentences } from './numbered-sentences.ts';
import type { Requirement } from './requirement.ts';

/** One evaluation of a vector and its expected result. */
export interface VectorCall {
  readonly flag: string;
  readonly context: JsonObject;
  /** Only these fields of the result are compared. */
  readonly expect: JsonObject;
  /** Time limit for one answer. It only has to distinguish linear from exponential time, so a slow machine may take ten times as long. */
  readonly within_ms?: number;
}

/** A ruleset and the results that it must give. */
export interface Vector extends Lifetime {
  readonly id: string;
  /** Name of the vector's file. */
  readonly category: string;
  readonly level: Level;
  readonly decision?: string;
  readonly bucketing?: number;
  readonly requirements: readonly string[];
  readonly why?: string;
  /** Ids of mutants that the vector detects. */
  readonly kills?: readonly string[];
  readonly ruleset: unknown;
  readonly calls: readonly VectorCall[];
}

/** One row of bucket.csv. */
export interface BucketRow {
  readonly id: string;
  readonly revision: number;
  readonly flag: string;
  readonly user: string;
  readonly hash: number;
  readonly bucket: number;
}

/** The vectors, buckets and requirements, checked against the index. */
export interface Suite {
  readonly version: string;
  readonly vectors: readonly Vector[];
  readonly buckets: readonly BucketRow[];
  readonly requirements: ReadonlyMap<string, Requirement>;
  readonly directory: string;
}

interface Index {
  readonly files: readonly { readonly file: string; readonly count: number; readonly sha256: string }[];
}

let directoryInUse: string | undefined;

/** Names the suite's directory, for a program that is not in it. */
export const useSuiteDirectory = (directory: string): void => {
  directoryInUse = directory;
};

/** The directory with `vectors/` and `scenarios/`: this package, wherever it was built or installed. */
export const suiteDirectory = (): string => {
  if (directoryInUse !== undefined) return directoryInUse;
  let directory = dirname(fileURLToPath(import.meta.url));
  while (!existsSync(join(directory, 'vectors', 'bucket.csv'))) {
    const parent = dirname(directory);
    if (parent === directory)
      throw new Error('there is no vectors/ directory beside this program: the package is incomplete');
    directory = parent;
  }
  return directory;
};

/** The version of the suite in the directory. */
export const versionOf = (directory: string): string => {
  const path = join(directory, 'VERSION');
  return existsSync(path) ? readFileSync(path, 'utf8').trim() : '0.0.0';
};

/**
 * Reads the suite, by default its newest version. Throws if a file is missing or changed, or if its number of cases
 * differs from the index.
 */
export const loadSuite = (
  directory: string = suiteDirectory(),
  version: string = versionOf(directory),
): Suite => {
  const read = (name: string) => readFileSync(join(directory, name));
  const files = readdirSync(join(directory, 'vectors')).sort();
  const index = readIndex(directory);
  const counts = new Map<string, number>();
  const vectors: Vector[] = [];
  for (const name of files.filter((file) => file.endsWith('.json') && file !== 'index.json')) {
    const { vectors: listed } = JSON.parse(read(`vectors/${name}`).toString()) as { vectors: Vector[] };
    counts.set(`vectors/${name}`, listed.length);
    const category = name.slice(0, -'.json'.length);
    for (const vector of listed) vectors.push({ ...vector, category });
  }
  const buckets = files.includes('bucket.csv') ? readBuckets(read('vectors/bucket.csv').toString()) : [];
  counts.set('vectors/bucket.csv', buckets.length);
  if (index) checkIndex(index, counts, read);
  const duplicate = vectors.find(({ id }, at) => vectors.findIndex((other) => other.id === id) !== at);
  if (duplicate) throw new Error(`the suite has ${duplicate.id} twice`);
  return {
    version,
    vectors: vectors.filter((vector) => isPartOf(vector, version)),
    buckets,
    requirements: readRequirements(directory),
    directory,
  };
};

const readIndex = (directory: string): Index | undefined => {
  const path = join(directory, 'index.json');
  return existsSync(path) ? (JSON.parse(readFileSync(path, 'utf8')) as Index) : undefined;
};

const checkIndex = (index: Index, counts: ReadonlyMap<string, number>, read: (name: string) => Buffer) => {
  for (const { file, count, sha256 } of index.files) {
    const got = counts.get(file);
    if (got === undefined) throw new Error(`${file} is in the index but not in the suite`);
    if (got !== count) throw new Error(`${file} has ${got} cases, but the index says ${count}`);
    const hash = createHash('sha256').update(read(file)).digest('hex');
    if (hash !== sha256) throw new Error(`${file} was changed: its hash differs from the one in the index`);
  }
  for (const file of counts.keys()) {
    if (counts.get(file) && !index.files.some((entry) => entry.file === file)) {
      throw new Error(`${file} is not in the index`);
    }
  }
};

const readRequirements = (directory: string): Map<string, Requirement> => {
  const path = join(directory, 'requirements.json');
  if (!existsSync(path)) return new Map();
  const { requirements } = JSON.parse(readFileSync(path, 'utf8')) as { requirements: Requirement[] };
  return new Map([...requirements, ...readSentences(directory)].map((one) => [one.id, one]));
};

/** Parses CSV as in RFC 4180: quoted fields may contain commas, quotes and line breaks. */
export const parseCsv = (text: string): string[][] => {
  const rows: string[][] = [];
  let row: string[] = [];
  const field = /(?:"((?:[^"]|"")*)"|([^",\r\n]*))(,|\r?\n|$)/gy;
  for (let match = field.exec(text); match; match = field.exec(text)) {
    if (match.index === text.length && row.length === 0) break;
    row.push(match[1]?.replaceAll('""', '"') ?? match[2] ?? '');
    if (match[3] === ',') continue;
    rows.push(row);
    row = [];
    if (field.lastIndex >= text.length) break;
  }
  return rows;
};

/** Parses bucket.csv. */
export const readBuckets = (text: string): BucketRow[] => {
  const [head = [], ...rows] = parseCsv(text);
  const column = (name: string) => {
    const at = head.indexOf(name);
    if (at < 0) throw new Error(`bucket.csv has no column ${name}`);
    return at;
  };
  const [revision, flag, user, hash, bucket] = ['revision', 'flag', 'user', 'hash', 'bucket'].map(column);
  return rows.map((row, at) => ({
    id: `bucket-${String(at + 1).padStart(5, '0')}`,
    revision: Number(row[revision!]),
    flag: row[flag!]!,
    user: row[user!]!,
    hash: Number(row[hash!]),
    bucket: Number(row[bucket!]),
  }));
};
