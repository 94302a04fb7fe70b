/** Entry point for hosts that compile rulesets from stored rows themselves. */
export {
  clientRuleset,
  compileRuleset,
  type FlagRow,
  type RulesetRows,
  type SegmentRow,
} from './publishing/compile.ts';
