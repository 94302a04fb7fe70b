/** Every mutant of the evaluator, by the file that it changes. */
import type { Mutant } from './mutant.ts';
import { attributeMutants } from './registry/attributes.ts';
import { automatonMutants } from './registry/automaton.ts';
import { bucketMutants } from './registry/bucket.ts';
import { evaluatorMutants, notFoundMutants } from './registry/evaluator.ts';
import { limitMutants } from './registry/limits.ts';
import { memoryMutants } from './registry/memory.ts';
import { operandMutants } from './registry/operands.ts';
import { operatorMutants } from './registry/operators.ts';
import { patternMutants } from './registry/pattern.ts';
import { frozenCopyMutants, programMutants } from './registry/program.ts';
import { protocolMutants } from './registry/protocol.ts';
import { ruleIndexMutants } from './registry/rule-index.ts';
import { rulesetMutants } from './registry/ruleset.ts';
import { semverMutants } from './registry/semver.ts';

export const mutants: readonly Mutant[] = [
  ...bucketMutants,
  ...programMutants,
  ...frozenCopyMutants,
  ...evaluatorMutants,
  ...notFoundMutants,
  ...rulesetMutants,
  ...protocolMutants,
  ...attributeMutants,
  ...operandMutants,
  ...memoryMutants,
  ...operatorMutants,
  ...semverMutants,
  ...limitMutants,
  ...patternMutants,
  ...automatonMutants,
  ...ruleIndexMutants,
];
