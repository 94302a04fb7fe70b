import { createEvaluator } from '@flagsvc/sdk-core';
import { ApiError } from '../../../http/errors.ts';
import { compileFlag } from '../../../publishing/compile.ts';
import { compileSegments } from '../../../publishing/compile-segments.ts';
import { testFlag } from '../../../publishing/self-test.ts';
import type { Tx } from '../../../storage/database.ts';
import type { Fields } from '../diff.ts';
import type { Guard, GuardedChange } from '../guard.ts';
import { servedEnvironments } from '../reach.ts';

const NO_SEGMENTS = compileSegments([]);

/**
 * Refuses with 422 a flag that evaluates to none of its variations, because such a flag would be stored but could never
 * be served. The schemas and the plan usually refuse such a flag first; this guard is the last line of defence.
 */
export const selfTestGuard: Guard = { name: 'self-test', check: requireServable };

async function requireServable(_tx: Tx, { plan }: GuardedChange): Promise<undefined> {
  const { resource, after } = plan;
  if (resource.type !== 'flag' || after === null || servedEnvironments(plan).length === 0) return;
  const { environments, ...shared } = after;
  // A plan may list only some of the fields.
  if (shared['variations'] === undefined) return;
  // An import lists one configuration per environment.
  const configurations =
    environments === undefined ? [{}] : Object.values(environments as Record<string, Fields>);
  for (const configuration of configurations) testFields({ ...shared, ...configuration });
}

function testFields(fields: Fields): void {
  const flag = compileFlag(
    {
      key: fields['key'] as string,
      flag_type: fields['flag_type'] as string,
      status: fields['status'] as string,
      enabled: fields['enabled'] === true ? 1 : 0,
      client_side: 0,
      variations_json: JSON.stringify(fields['variations']),
      default_variation: fields['default_variation'] as string,
      rules_json: JSON.stringify(fields['targeting_rules']),
      // Without prerequisites: the other flags are not in this ruleset, and an unmet prerequisite would skip the rules.
      prerequisites_json: '[]',
    },
    NO_SEGMENTS,
  );
  const ruleset = { version: 0, environment_id: '', flags: [flag], segments: [], fetched_at: '' };
  const fault = testFlag(flag, createEvaluator(ruleset));
  if (fault === undefined) return;
  const { flagKey: flag_key, ruleId: rule_id, message } = fault;
  throw new ApiError(rule_id === null ? 'DEFAULT_VARIATION_UNKNOWN' : 'RULE_VARIATION_UNKNOWN', {
    message: `The flag "${flag_key}" failed a test evaluation: it ${message}.`,
    details: { flag_key, rule_id },
  });
}
