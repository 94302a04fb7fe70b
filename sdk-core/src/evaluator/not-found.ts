import type { EvaluationResult } from '../protocol/protocol.ts';

/** The result for a flag that does not exist (EV-29), and for every flag while there is no ruleset. */
export const NOT_FOUND: EvaluationResult = /* @__PURE__ */ Object.freeze({
  value: null,
  reason: 'FLAG_NOT_FOUND',
  rule_id: null,
  variation_key: null,
});
