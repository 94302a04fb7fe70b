import { createEvaluator } from '@flagsvc/sdk-core';
import { ApiError } from '../../../http/errors.ts';
import { compileFlag } from '../../../publishing/compile.ts';
import { compileSegments } from '../../../publishing/compile-segments.ts';
import { testFlag } from '../../../publishing/self-test.ts';
import type { Fields } from '../diff.ts';
import type { Guard } from '../gate.ts';

const NO_SEGMENTS = compileSegments([]);

/**
 * Refuses (422) a flag that would not answer by one of its variations: such a one would be stored, and never be
 * served. What people may write is checked before; this is for what that has overlooked.
 */
export const selfTestGuard: Guard = async (_tx, { plan: { resource, after, environmentIds = [] } }) => {
  if (resource.type !== 'flag' || after === null || environmentIds.length === 0) return undefined;
  const { environments, ...shared } = after;
  // What a plan shows of a flag need not be all of it.
  if (shared['variations'] === undefined) return undefined;
  // A flag that an import makes is shown in each environment.
  const configurations =
    environments === undefined ? [{}] : Object.values(environments as Record<string, Fields>);
  for (const configuration of configurations) requireSound({ ...shared, ...configuration });
  return undefined;
};

function requireSound(fields: Fields): void {
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
      // Without the flags that it waits for its rules would not be asked.
      prerequisites_json: '[]',
    },
    NO_SEGMENTS,
  );
  const ruleset = { version: 0, environment_id: '', flags: [flag], segments: [], fetched_at: '' };
  const fault = testFlag(flag, createEvaluator(ruleset));
  if (fault === undefined) return;
  const { flagKey: flag_key, ruleId: rule_id, message } = fault;
  throw new ApiError(rule_id === null ? 'DEFAULT_VARIATION_UNKNOWN' : 'RULE_VARIATION_UNKNOWN', {
    message: `The flag "${flag_key}" was tried and ${message}.`,
    details: { flag_key, rule_id },
  });
}
