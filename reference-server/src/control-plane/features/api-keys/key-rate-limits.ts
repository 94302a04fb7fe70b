import { Type } from 'typebox';
import { KEY_RATE_CATEGORIES, type KeyRateLimits, RATE_LIMIT_MAX } from '../../../http/rate-limits.ts';

const MEANINGS: Readonly<Record<(typeof KEY_RATE_CATEGORIES)[number], string>> = {
  evaluation: 'Evaluations. The key then no longer counts towards the limit of its environment.',
  ruleset: 'Fetches of the ruleset.',
  events: 'Event batches.',
  stream: 'Opened streams.',
};

const description =
  'Requests per minute that this key may send, for the limits that differ from those of the server (`GET /instance`). For keys of kind `client`, the limits of rulesets, events and streams apply to each address, and each address gets a tenth of the evaluations. An empty object means that the server’s limits apply.';

const Limit = (meaning: string) =>
  Type.Integer({ minimum: 1, maximum: RATE_LIMIT_MAX, description: `${meaning} Per minute.` });

/** The schema of `rate_limits` in answers. */
export const KeyRateLimitsSchema = Type.Object(
  Object.fromEntries(
    KEY_RATE_CATEGORIES.map((name) => [name, Type.Optional(Limit(MEANINGS[name]))]),
  ) as Record<
    (typeof KEY_RATE_CATEGORIES)[number],
    ReturnType<typeof Type.Optional<ReturnType<typeof Limit>>>
  >,
  { description },
);

/**
 * The schema of `rate_limits` in requests. A misspelled name is refused, because the key would otherwise lose the limit
 * that it has.
 */
export const NewKeyRateLimitsSchema = Type.Object(KeyRateLimitsSchema.properties, {
  description,
  additionalProperties: false,
});

/** The limits in a stable order, without those that are absent. */
export function normalizeKeyRateLimits(limits: KeyRateLimits = {}): KeyRateLimits {
  return Object.fromEntries(
    KEY_RATE_CATEGORIES.filter((name) => limits[name] !== undefined).map((name) => [name, limits[name]]),
  );
}
