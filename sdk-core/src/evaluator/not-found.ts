import type { EvaluationResult } from '../protocol/protocol.ts';

/** The answer for a flag that does not exist (EV-29), and for every flag before there is a ruleset. */
export const NOT_FOUND: EvaluationResult = /* @__PURE__ */ Object.freeze({
  value: null,
  reason: 'FLAG_NOT_FOUND',
  rule_id: null,
  variation_key: null,
});
