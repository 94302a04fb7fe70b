import { decodeTagged } from './tags.mjs';

/**
 * The commands of a pure evaluator. `load` takes a ruleset and returns the function that evaluates a flag; its property
 * `refused` is true if the SDK refused the ruleset. `bucket` is optional.
 */
export const evaluateCommands = ({ load, bucket }) => {
  let evaluate;
  const one = ({ flag, context }) => evaluate(flag, decodeTagged(context));
  const oneBucket = ({ flag, user, bucketing = 1 }) => bucket(flag, user, bucketing);
  return {
    async load({ ruleset }) {
      evaluate = await load(decodeTagged(ruleset));
      return evaluate.refused ? { refused: true } : {};
    },
    evaluate: (request) => (request.calls ? { results: request.calls.map(one) } : one(request)),
    ...(bucket && {
      bucket: (request) => (request.calls ? { results: request.calls.map(oneBucket) } : oneBucket(request)),
    }),
  };
};
