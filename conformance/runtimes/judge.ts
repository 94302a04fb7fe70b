/** Builds the engines' input from the suite, and checks their answers. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { differences } from '../src/suite/json-value.ts';
import type { Suite } from '../src/suite/suite.ts';
import type { Input } from './evaluate-all.ts';

/** The suite as the JSON text of `Input`. */
export function inputOf({ directory, buckets }: Suite): string {
  const folder = join(directory, 'vectors');
  const names = readdirSync(folder).filter((name) => name.endsWith('.json') && name !== 'index.json');
  const input: Input = {
    files: names.sort().map((name) => readFileSync(join(folder, name), 'utf8')),
    rows: buckets.map(({ revision, flag, user }) => [revision as 1 | 2, flag, user]),
  };
  return JSON.stringify(input);
}

/** How many vectors and rows an engine passed. */
export interface Score {
  readonly vectors: number;
  readonly rows: number;
  /** Ids of failed vectors and rows. */
  readonly failed: readonly string[];
}

/** Compares an engine's answers with the suite. A missing line counts as a failure. */
export function judge(suite: Suite, answers: string): Score {
  const lines = answers.split('\n');
  let at = 0;
  const next = (): unknown[] => JSON.parse(lines[at++] || '[]') as unknown[];
  const failed: string[] = [];
  for (const { id, calls } of suite.vectors) {
    const wrong = calls.filter(({ expect }, call) => {
      const [answered, number, result] = next();
      return answered !== id || number !== call || differences(expect, result).length > 0;
    });
    if (wrong.length) failed.push(id);
  }
  const failedVectors = failed.length;
  for (const { id, revision, hash, bucket } of suite.buckets) {
    const [, , , gotHash, gotBucket] = next();
    // The rows of revision 2 contain the mixed hash, which sdk-core does not export.
    if (gotBucket !== bucket || (revision === 1 && gotHash !== hash)) failed.push(id);
  }
  return {
    vectors: suite.vectors.length - failedVectors,
    rows: suite.buckets.length - (failed.length - failedVectors),
    failed,
  };
}
