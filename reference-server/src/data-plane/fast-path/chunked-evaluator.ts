import type { Evaluator } from '@flagsvc/sdk-core';
import type { PreparedChunks } from './prepared-chunks.ts';

/** An evaluator of the whole ruleset. Each flag is decided by its chunk's evaluator, which has all that the flag needs. */
export function createChunkedEvaluator({ ruleset, list, chunkOf }: PreparedChunks): Evaluator {
  const visitAll: Evaluator['visitAll'] = (context, visit) => {
    for (const { evaluator, needed } of list) {
      const foreign = new Set(needed.map(({ key }) => key));
      evaluator.visitAll(context, (flagKey, result) => {
        if (!foreign.has(flagKey)) visit(flagKey, result);
      });
    }
  };
  return {
    ruleset,
    evaluate: (flagKey, context) => chunkOf(flagKey).evaluator.evaluate(flagKey, context),
    explain: (flagKey, context) => chunkOf(flagKey).evaluator.explain(flagKey, context),
    visitAll,
    evaluateAll(context) {
      const results: ReturnType<Evaluator['evaluateAll']> = Object.create(null);
      visitAll(context, (flagKey, result) => {
        results[flagKey] = result;
      });
      return results;
    },
  };
}
