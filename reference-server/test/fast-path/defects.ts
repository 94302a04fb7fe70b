import type { Defect } from './plant.ts';

/** At least one defect for each file of the fast path, each of a kind that a change could introduce. */
export const DEFECTS: readonly Defect[] = [
  { file: 'answer-writer.ts', find: 'if (index > 0)', replace: 'if (index > 1)' },
  { file: 'buffer-pool.ts', find: 'idle.pop()', replace: 'idle.at(-1)' },
  { file: 'chunk-answers.ts', find: "if (result.reason !== 'FLAG_NOT_FOUND') members", replace: 'members' },
  {
    file: 'chunked-evaluator.ts',
    find: 'context) => chunkOf(flagKey).evaluator.evaluate',
    replace: 'context) => list[0]!.evaluator.evaluate',
  },
  { file: 'fast-path.ts', find: "name !== 'fetched_at'", replace: "name !== 'version'" },
  { file: 'flag-members.ts', find: 'if ((prerequisites ?? []).length > 0) return false;', replace: '' },
  { file: 'outcome-cache.ts', find: 'matched.matcher.position - 1', replace: 'matched.matcher.position' },
  { file: 'pieces.ts', find: 'answerId: answers', replace: 'answerId: 1' },
  { file: 'polls.ts', find: " || headers['sec-fetch-site'] !== undefined", replace: '' },
  { file: 'polls.ts', find: 'if (window?.allowed === false) return undefined;', replace: '' },
  { file: 'prepared-chunks.ts', find: ' && !overlaps(known.neededKeys, changed)', replace: '' },
  { file: 'rule-matchers.ts', find: '.sort((left, right) => left.priority - right.priority)', replace: '' },
  { file: 'ruleset-parts.ts', find: 'if (chunk > 0)', replace: 'if (chunk > 1)' },
];
