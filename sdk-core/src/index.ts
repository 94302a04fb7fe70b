export { bucket, hash } from './evaluator/bucket.ts';
export { createEvaluator, type Evaluator, type EvaluatorOptions } from './evaluator/evaluator.ts';
export type {
  ConditionTrace,
  Explanation,
  GateTrace,
  PrerequisiteTrace,
  Range,
  RuleTrace,
} from './evaluator/explanation.ts';
export { OPERATORS } from './evaluator/operators.ts';
export { isPatternValid, patternFault } from './evaluator/pattern.ts';
export { type ParsedRuleset, parseRuleset, type RulesetFault } from './evaluator/ruleset.ts';
export * from './protocol/flags.ts';
export * from './protocol/protocol.ts';
export { isOfFlagType } from './protocol/value-types.ts';
