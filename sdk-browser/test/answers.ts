import type { EvaluationResult, Json, Ruleset } from '@flagsvc/sdk-core';
import type { ScriptedReply, SeenRequest } from '@flagsvc/sdk-core/testing';
import { createTestFlag } from '@flagsvc/sdk-core/testing';

export const RULESET = '/sdk/ruleset';
export const EVALUATE = '/evaluate';
export const EVENTS = '/sdk/events';

/** `greeting` is the same for all users, `who` differs for the user `u2`, `list` is JSON. */
export const rulesetOf = (version: number, greeting = `v${version}`): Ruleset => ({
  version,
  environment_id: 'env_1',
  flags: [
    createTestFlag('greeting', greeting, { track_exposures: true }),
    createTestFlag('list', [1, 2, { three: 3 }]),
    createTestFlag('who', 'nobody', {
      variations: [
        { key: 'only', value: 'nobody' },
        { key: 'second', value: 'second' },
      ],
      targeting_rules: [
        {
          id: 'rule_1',
          priority: 1,
          conditions: [{ attribute: 'name', operator: 'is', value: 'u2' }],
          variation: 'second',
        },
      ],
    }),
  ],
  segments: [],
  fetched_at: '2026-01-01T00:00:00.000Z',
});

/** The answer of GET /sdk/ruleset: 304 if the request has its tag. */
export const rulesetReply =
  (version: number, greeting?: string) =>
  ({ headers }: SeenRequest): ScriptedReply =>
    headers['if-none-match'] === `"${version}"`
      ? { status: 304 }
      : { headers: { etag: `"${version}"` }, body: { data: rulesetOf(version, greeting) } };

export const resultOf = (value: Json): EvaluationResult => ({
  value,
  reason: 'DEFAULT',
  rule_id: null,
  variation_key: 'only',
});

/** The answer of POST /evaluate: the flag `me` has the user's key. */
export const evaluateReply =
  (greeting: string, delayMs = 0) =>
  ({ body }: SeenRequest): ScriptedReply => {
    const { user_key } = JSON.parse(body).context;
    const evaluations = { greeting: resultOf(greeting), me: resultOf(user_key), list: resultOf([1, 2]) };
    return { delayMs, body: { data: { evaluations, evaluated_at: '2026-01-01T00:00:00.000Z' } } };
  };
