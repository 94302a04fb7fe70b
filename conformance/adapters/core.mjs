/** The evaluator of sdk-core, behind the adapter protocol. */
import { bucket, createEvaluator, hash } from '@flagsvc/sdk-core';
import { evaluateCommands } from './lib/evaluate-commands.mjs';
import { serveJsonLines } from './lib/json-lines.mjs';
import { versionOf } from './lib/version.mjs';

serveJsonLines({
  hello: () => ({
    name: 'sdk-core',
    version: versionOf('@flagsvc/sdk-core'),
    language: 'typescript',
    runtime: `node ${process.versions.node}`,
    bucketing: [1, 2, 3],
    capabilities: ['evaluate', 'bucket'],
  }),
  ...evaluateCommands({
    load(ruleset) {
      const evaluator = createEvaluator(ruleset);
      return (flag, context) => evaluator.evaluate(flag, context);
    },
    bucket: (flag, user, revision) => ({
      bucket: bucket(flag, user, revision),
      ...(revision === 1 && { hash: hash(`${flag}:${user}`) }),
    }),
  }),
});
