import { FLAG_TYPES, OPERATORS, REASONS } from '@flagsvc/sdk-core';
import { type TSchema, Type } from 'typebox';
import { Data, errorAnswers } from '../http/envelope.ts';
import type { ErrorCode } from '../http/errors.ts';
import { ATTRIBUTES_MAX, USER_KEY_LENGTH_MAX } from './evaluate/context-size.ts';

/** The errors that every data-plane route may return. */
export const COMMON: readonly ErrorCode[] = [
  'UNAUTHENTICATED',
  'INVALID_API_KEY',
  'ORIGIN_NOT_ALLOWED',
  'IP_NOT_ALLOWED',
  'RATE_LIMIT_EXCEEDED',
  'INTERNAL_ERROR',
  'SERVICE_UNAVAILABLE',
];
/** The errors of every data-plane route that reads a body. */
export const BODY: readonly ErrorCode[] = [
  'VALIDATION_ERROR',
  'MALFORMED_JSON',
  'PAYLOAD_TOO_LARGE',
  'UNSUPPORTED_MEDIA_TYPE',
  'REQUEST_TIMEOUT',
  'LIMIT_EXCEEDED',
];

const security = [{ apiKey: [] }];
const Nullable = <T extends TSchema>(schema: T) => Type.Union([schema, Type.Null()]);
const oneOf = <const T extends readonly string[]>(names: T) =>
  Type.Union(names.map((name) => Type.Literal(name)));

const Timestamp = Type.String({
  description: 'ISO 8601 UTC with milliseconds',
  examples: ['2026-11-20T10:00:00.000Z'],
});

export const EvaluateBody = Type.Object({
  flags: Type.Array(Type.String({ maxLength: 1_024 }), {
    maxItems: 10_000,
    description: 'Flag keys; `["*"]` means all flags.',
    examples: [['dark-mode', 'checkout-v2'], ['*']],
  }),
  context: Type.Object({
    user_key: Type.String({
      maxLength: USER_KEY_LENGTH_MAX,
      description:
        'Identifies the user; decides the bucket of percentage rollouts. An empty key is not bucketed.',
      examples: ['user-42'],
    }),
    attributes: Type.Optional(
      Type.Record(Type.String(), Type.Unknown(), {
        maxProperties: ATTRIBUTES_MAX,
        description:
          'Facts that conditions compare: strings, numbers, booleans, and lists of up to 1,000 of these. An attribute ' +
          'named `user_key` replaces the user key in conditions, but not in bucketing. The work of conditions is limited ' +
          'to 700,000 per flag, including its segments and prerequisites, and to 10,000,000 per request. The unit of ' +
          'work is one character times one state of a regular expression; other operators count as 1/25 of a state.',
        examples: [{ plan: 'pro', country: 'DE' }],
      }),
    ),
  }),
});

const EvaluationResult = Type.Object({
  value: Type.Unknown({ description: "The variation's value; null when the flag does not exist." }),
  reason: oneOf(REASONS),
  rule_id: Nullable(Type.String()),
  variation_key: Nullable(Type.String()),
});

const EvaluateAnswer = Data(
  Type.Object({
    evaluations: Type.Record(Type.String(), EvaluationResult),
    track_exposures: Type.Optional(
      Type.Array(Type.String(), {
        description: 'Keys of the flags whose exposures SDKs report one by one; absent if there are none.',
      }),
    ),
    unit_rules: Type.Optional(
      Type.Record(Type.String(), Type.Array(Type.String()), {
        description:
          'Ids of the rules that assign the units of an attribute, by attribute, so that SDKs report units; absent if ' +
          'all rules assign users.',
      }),
    ),
    evaluated_at: Timestamp,
  }),
);

const Condition = Type.Object({
  attribute: Type.String(),
  operator: oneOf(OPERATORS),
  value: Type.Unknown(),
});

const Bounds = { from: Type.Integer(), to: Type.Integer() };
const UnitBucketing = Type.Object(
  {
    revision: Type.Literal(3),
    salt: Type.String(),
    by: Type.String(),
    ranges: Type.Array(Type.Object({ variation: Type.String(), ...Bounds })),
    gates: Type.Optional(Type.Array(Type.Object({ salt: Type.String(), ...Bounds }))),
  },
  { description: 'Revision 3: ranges of 10,000 buckets assign users, or units of an attribute.' },
);

const TargetingRule = Type.Object({
  id: Type.String(),
  priority: Type.Integer(),
  conditions: Type.Array(Condition),
  variation: Type.Optional(Nullable(Type.String())),
  percentage_rollout: Type.Optional(
    Type.Array(Type.Object({ variation: Type.String(), percentage: Type.Integer() })),
  ),
  bucketing: Type.Optional(Type.Union([Type.Integer(), UnitBucketing])),
});

const CompiledFlag = Type.Object({
  key: Type.String(),
  flag_type: oneOf(FLAG_TYPES),
  enabled: Type.Boolean(),
  variations: Type.Array(Type.Object({ key: Type.String(), value: Type.Unknown() })),
  default_variation: Type.String(),
  targeting_rules: Type.Array(TargetingRule),
  prerequisites: Type.Optional(
    Type.Array(Type.Object({ flag_key: Type.String(), variation: Type.String() })),
  ),
  client_side: Type.Optional(Type.Boolean()),
  archived: Type.Optional(Type.Boolean({ description: 'True when the flag is archived.' })),
  track_exposures: Type.Optional(Type.Boolean()),
});

export const CompiledRuleset = Type.Object({
  version: Type.Integer(),
  environment_id: Type.String(),
  flags: Type.Array(CompiledFlag),
  segments: Type.Array(
    Type.Object({ id: Type.String(), key: Type.String(), conditions: Type.Array(Condition) }),
  ),
  fetched_at: Timestamp,
});

/** `POST /evaluate`. */
export const evaluateSchema = {
  operationId: 'evaluate',
  summary: 'Evaluate flags for one context',
  description:
    'An unknown flag key is not an error: its value is null and its reason FLAG_NOT_FOUND. The body may have up to 1 MiB ' +
    '(64 KiB with a `client` key) and 65,536 values, of which at most 25,000 may be members of objects.',
  tags: ['Data plane'],
  security,
  body: EvaluateBody,
  response: { 200: EvaluateAnswer, ...errorAnswers([...COMMON, ...BODY]) },
};

const SIGNATURE_HEADER = {
  'X-FlagSvc-Signature': {
    type: 'string',
    description:
      '`<kid>.<Ed25519 in base64url>`. Signs the 32-byte SHA-256 of the ruleset’s canonical JSON (RFC 8785) without ' +
      'fetched_at. The keys are a JWK set at `/.well-known/flagsvc-ruleset-keys.json`.',
  },
};

const EPOCH_HEADER = {
  'X-FlagSvc-Epoch': {
    type: 'string',
    description:
      'For `relay` keys only: changes when a backup is restored. Within an epoch, versions only grow, so a relay ignores ' +
      'an older version of the same epoch.',
  },
};

const CACHE_HEADERS = {
  ETag: { type: 'string', description: 'Entity tag of the ruleset, weak: `W/"<version>-<hash>"`.' },
  'Cache-Control': { type: 'string', description: '`private, no-cache`' },
  Vary: { type: 'string', description: '`X-API-Key, Accept, Accept-Encoding`' },
};

/** The request headers of `GET /sdk/ruleset`, besides the API key. */
export const RulesetHeaders = Type.Object({
  'If-None-Match': Type.Optional(Type.String({ description: 'One entity tag, a list of them, or `*`.' })),
  Accept: Type.Optional(
    Type.String({ description: '`application/msgpack` for MessagePack; otherwise JSON.' }),
  ),
  'Accept-Encoding': Type.Optional(Type.String({ description: '`br` and `gzip` are supported.' })),
});

/** The query of `GET /sdk/ruleset`. */
export const RulesetQuery = Type.Object({
  view: Type.Optional(
    Type.Unsafe<'client'>({
      type: 'string',
      enum: ['client'],
      description:
        'For `relay` keys only: `client` returns the ruleset that `client` keys get, with its own tag and signature.',
    }),
  ),
});

/** `GET /sdk/ruleset`. */
export const rulesetSchema = {
  operationId: 'getRuleset',
  summary: 'Fetch the compiled ruleset of the key’s environment',
  description:
    'Conditional: with the last `ETag` in `If-None-Match`, an unchanged ruleset gets 304 without a body. ' +
    '`Accept: application/msgpack` selects MessagePack. `client` keys get only the flags marked `client_side` and the ' +
    'segments that these use.',
  tags: ['Data plane'],
  security,
  produces: ['application/json', 'application/msgpack'],
  querystring: RulesetQuery,
  response: {
    200: {
      ...Data(CompiledRuleset),
      description: 'The ruleset.',
      headers: { ...CACHE_HEADERS, ...SIGNATURE_HEADER, ...EPOCH_HEADER },
    },
    304: Type.Null({ description: 'Unchanged.', headers: CACHE_HEADERS }),
    ...errorAnswers([...COMMON, 'VALIDATION_ERROR', 'KEY_KIND_NOT_ALLOWED']),
  },
};

const EventItem = Type.Unknown({
  description:
    'One of four types; each event is accepted or rejected on its own. `summary`: start, end, counters (each with flag_key, ' +
    'variation_key, reason, rule_id, ruleset_version, count). `exposure`: id, timestamp, flag_key, variation_key, ' +
    'reason, rule_id, ruleset_version, user_key, and optionally user_key_hashed and experiment_key. `track`: id, ' +
    'timestamp, event_name, user_key, and optionally user_key_hashed, value, properties. `diagnostic`: ' +
    'dropped_events, and optionally cause. `user_key_hashed: true` means that the sender has hashed user_key. A hash and an equal plain key ' +
    'count as different users, so hash user keys either in both exposures and track events, or in neither.',
  examples: [
    {
      type: 'exposure',
      id: '01JD4K5C8QW3',
      timestamp: '2026-11-20T10:00:00.000Z',
      flag_key: 'cta',
      variation_key: 'b',
      reason: 'PERCENTAGE_ROLLOUT',
      rule_id: 'rule_1',
      user_key: '5e884898da280471',
      user_key_hashed: true,
      experiment_key: 'cta-test',
      ruleset_version: 481,
    },
  ],
});

const EventsBody = Type.Object({
  batch_id: Type.String({
    minLength: 1,
    maxLength: 128,
    description: 'Retries repeat it, so that a batch counts once.',
  }),
  sent_at: Type.Optional(Type.String()),
  sdk: Type.Optional(
    Type.Object({
      name: Type.Optional(Type.String()),
      version: Type.Optional(Type.String()),
      instance_id: Type.Optional(Type.String()),
      app: Type.Optional(Type.String()),
    }),
  ),
  events: Type.Array(EventItem, { maxItems: 1_000 }),
});

const EventsAnswer = Data(
  Type.Object({
    batch_id: Type.String(),
    accepted: Type.Integer(),
    duplicates: Type.Integer(),
    duplicate: Type.Optional(Type.Boolean({ description: 'True when this batch was received before.' })),
    rejected: Type.Array(Type.Object({ index: Type.Integer(), code: Type.String(), message: Type.String() })),
  }),
);

/** `POST /sdk/events`. */
export const eventsSchema = {
  operationId: 'sendEvents',
  summary: 'Send a batch of evaluation events',
  description:
    'JSON or MessagePack, optionally compressed with gzip. The body may have up to 1 MiB (64 KiB with a `client` key) when ' +
    'decompressed, 256 KiB as gzip, and 65,536 values, of which at most 25,000 may be members of objects. MessagePack may contain ' +
    'only what JSON can: no binary data, no extension types.',
  tags: ['Data plane'],
  security,
  consumes: ['application/json', 'application/msgpack'],
  body: EventsBody,
  response: { 202: EventsAnswer, ...errorAnswers([...COMMON, ...BODY]) },
};

/** The query of `GET /sdk/stream`. */
export const StreamQuery = Type.Object({
  last_version: Type.Optional(
    Type.Integer({
      minimum: 0,
      description: 'The version that the client has, for clients that cannot set headers.',
    }),
  ),
  mode: Type.Optional(
    Type.Unsafe<'notice' | 'full'>({
      type: 'string',
      enum: ['notice', 'full'],
      description: '`full` sends rulesets of up to 64 KiB along with the notification. Default `notice`.',
    }),
  ),
});

/** The request headers of `GET /sdk/stream`, besides the API key. */
export const StreamHeaders = Type.Object({
  'Last-Event-ID': Type.Optional(Type.String({ description: 'The version that the client has.' })),
});

/** `GET /sdk/stream`. */
export const streamSchema = {
  operationId: 'streamRuleset',
  summary: 'Receive notifications of new ruleset versions',
  description:
    'Server-sent events. `ruleset.updated` (id: the version; data: environment_id, version, etag, changed_flags, ' +
    'refetch_within_ms) means that there is a version other than the client’s: fetch it from `GET /sdk/ruleset` at a random ' +
    'moment within refetch_within_ms. With `mode=full`, a small ruleset comes as `ruleset.snapshot` instead, which has ' +
    'the ruleset in place of refetch_within_ms. `heartbeat` (version, etag, server_time) comes once a minute, a comment ' +
    'line every 15 seconds. Before the server ends a stream, it sends `goodbye` (reason, retry_ms). The reasons are ' +
    '`shutdown`; `key_revoked`, also for an expired key; `rotated`, when the grace period of a replaced secret is ' +
    'over; and `overload`, when the client reads too slowly. The client polls, and may reconnect after retry_ms.',
  tags: ['Data plane'],
  security,
  produces: ['text/event-stream'],
  querystring: StreamQuery,
  response: {
    200: Type.String({
      description: 'The stream. It ends with a `goodbye` event, or when the connection is lost.',
    }),
    ...errorAnswers([...COMMON, 'VALIDATION_ERROR']),
  },
};

/** The query of `GET /relay/stream`. */
export const RelayStreamQuery = Type.Object({
  ...StreamQuery.properties,
  environment_ids: Type.Optional(
    Type.String({
      maxLength: 1_000,
      pattern: '^[^,\\s]+(,[^,\\s]+)*$',
      description:
        'The environments that the stream is for, separated by commas. A key gives access only to its own environment.',
      examples: ['env_01JCW4N8X0000000000000000'],
    }),
  ),
});

/** `GET /relay/stream`. */
export const relayStreamSchema = {
  ...streamSchema,
  operationId: 'streamRelay',
  summary: 'Receive notifications of new ruleset versions, as a relay',
  description:
    'The events of `GET /sdk/stream`, for `relay` keys only, and `keys.changed` (key_id, or null when unknown): an API ' +
    'key of the environment was revoked or changed, so ask again with `POST /relay/keys`. A relay that names an ' +
    'environment other than its key’s is refused, so that it cannot serve one environment’s flags as another’s.',
  querystring: RelayStreamQuery,
  response: {
    200: streamSchema.response[200],
    ...errorAnswers([...COMMON, 'VALIDATION_ERROR', 'KEY_KIND_NOT_ALLOWED', 'ENVIRONMENT_NOT_FOUND']),
  },
};
