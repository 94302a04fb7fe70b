export { bucket, hash } from './bucket.ts';
export { createEvaluator, type Evaluator, type EvaluatorOptions } from './evaluator.ts';
export type { ConditionTrace, Explanation, PrerequisiteTrace, Range, RuleTrace } from './explanation.ts';
export * from './flags.ts';
export { isPatternValid, patternFault } from './pattern.ts';
export * from './protocol.ts';
export { type ParsedRuleset, parseRuleset, type RulesetFault } from './ruleset.ts';
