/** The script that runs in every engine, bundled with the built evaluator. Input and output are text. */
import { bucket, createEvaluator, hash, type Ruleset } from '@flagsvc/sdk-core';
import { decodeTagged } from '../src/suite/json-value.ts';

/** The input: the texts of the vector files, and the rows of bucket.csv without their expected values. */
export interface Input {
  readonly files: readonly string[];
  readonly rows: readonly (readonly [revision: 1 | 2, flag: string, user: string])[];
}

interface VectorFile {
  readonly vectors: readonly {
    readonly id: string;
    readonly ruleset: unknown;
    readonly calls: readonly { readonly flag: string; readonly context: unknown }[];
  }[];
}

/** Returns one line of JSON for each call and each row. Every engine must produce the same bytes. */
export function evaluateAll(input: string): string {
  const { files, rows }: Input = JSON.parse(input);
  const lines: string[] = [];
  for (const file of files) {
    for (const { id, ruleset, calls } of (JSON.parse(file) as VectorFile).vectors) {
      const evaluator = createEvaluator(decodeTagged(ruleset) as Ruleset);
      calls.forEach(({ flag, context }, call) => {
        const result = evaluator.evaluate(flag, decodeTagged(context) as object);
        lines.push(JSON.stringify([id, call, result]));
      });
    }
  }
  for (const [revision, flag, user] of rows) {
    lines.push(JSON.stringify([revision, flag, user, hash(`${flag}:${user}`), bucket(flag, user, revision)]));
  }
  return `${lines.join('\n')}\n`;
}
