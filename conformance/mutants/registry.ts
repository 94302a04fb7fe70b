/** All mutants of the evaluator, grouped by the file that they change. */
import type { Mutant } from './mutant.ts';
import { attributeMutants } from './registry/attributes.ts';
import { automatonMutants } from './registry/automaton.ts';
import { bucketMutants } from './registry/bucket.ts';
import { evaluateFlagMutants, evaluatorMutants, notFoundMutants } from './registry/evaluator.ts';
import { limitMutants } from './registry/limits.ts';
import { memoryMutants } from './registry/memory.ts';
import { operandMutants } from './registry/operands.ts';
import { operatorTableMutants } from './registry/operator-table.ts';
import { operatorMutants, valueMutants } from './registry/operators.ts';
import { patternMutants } from './registry/pattern.ts';
import { frozenCopyMutants, preparedFlagMutants } from './registry/prepared-flag.ts';
import { ruleIndexMutants } from './registry/rule-index.ts';
import { rulesetMutants } from './registry/ruleset.ts';
import { semverMutants } from './registry/semver.ts';

export const mutants: readonly Mutant[] = [
  ...bucketMutants,
  ...preparedFlagMutants,
  ...frozenCopyMutants,
  ...evaluateFlagMutants,
  ...evaluatorMutants,
  ...notFoundMutants,
  ...rulesetMutants,
  ...operatorTableMutants,
  ...attributeMutants,
  ...operandMutants,
  ...memoryMutants,
  ...operatorMutants,
  ...valueMutants,
  ...semverMutants,
  ...limitMutants,
  ...patternMutants,
  ...automatonMutants,
  ...ruleIndexMutants,
];
