import { type Static, Type } from 'typebox';
import { Data } from '../../../http/envelope.ts';
import { Comment, Description, Id, Tags, Timestamp } from '../../../http/schemas.ts';
import { SIGNINGS } from './delivery/sign-message.ts';

const Nullable = <T extends Parameters<typeof Type.Union>[0][number]>(schema: T) =>
  Type.Union([schema, Type.Null()]);

const Url = Type.String({
  minLength: 1,
  maxLength: 2_000,
  description: 'An https URL with a public address, on port 443 or another allowed port.',
  examples: ['https://hooks.example.com/flags'],
});

const Events = Type.Array(Type.String({ pattern: '^(\\*|[a-z_]+\\.(\\*|[a-z_]+))$', maxLength: 100 }), {
  minItems: 1,
  maxItems: 50,
  description:
    'Actions of the audit log, `flag.stale` and `ruleset.updated`. `flag.*` stands for all events of flags, `*` for all events except `ruleset.updated`.',
  examples: [['*'], ['flag.toggled', 'segment.*', 'ruleset.updated']],
});

const Headers = Type.Record(Type.String(), Type.String({ maxLength: 1_000 }), {
  maxProperties: 10,
  description: 'Sent with every message. The values are never returned.',
  examples: [{ 'X-Team': 'checkout' }],
});

const fields = {
  url: Url,
  events: Events,
  environment_ids: Type.Array(Id, { maxItems: 25, description: 'Empty: all.' }),
  tags: Tags,
  description: Description,
  headers: Headers,
  payload: Type.Enum(['full', 'thin'], {
    description: 'Default `full`. `thin` messages leave out the changes.',
  }),
};

export const NewWebhook = Type.Object({
  url: Url,
  events: Events,
  project_id: Type.Optional(Nullable(Id)),
  environment_ids: Type.Optional(fields.environment_ids),
  tags: Type.Optional(fields.tags),
  description: Type.Optional(fields.description),
  headers: Type.Optional(fields.headers),
  payload: Type.Optional(fields.payload),
  signing: Type.Optional(Type.Enum([...SIGNINGS], { description: 'Default `hmac`.' })),
  comment: Type.Optional(Comment),
});
export type NewWebhook = Static<typeof NewWebhook>;

export const WebhookPatch = Type.Object({
  ...Type.Partial(Type.Object(fields)).properties,
  comment: Type.Optional(Comment),
});
export type WebhookPatch = Static<typeof WebhookPatch>;

export const Webhook = Type.Object({
  id: Type.String({ description: '`whk_` and an opaque string.' }),
  project_id: Nullable(Type.String()),
  url: Type.String(),
  description: Type.String(),
  events: Type.Array(Type.String()),
  environment_ids: Type.Array(Type.String()),
  tags: Type.Array(Type.String()),
  header_names: Type.Array(Type.String()),
  payload: Type.Enum(['full', 'thin']),
  signing: Type.Enum([...SIGNINGS]),
  public_key: Type.Union([Type.String(), Type.Null()], {
    description: '`whpk_…`, for checking `ed25519` signatures; null for `hmac`.',
  }),
  status: Type.Enum(['enabled', 'disabled']),
  disabled_reason: Type.Union([Type.String(), Type.Null()], {
    description: '`gone` after a 410 answer, `failing` after five days without a success; null otherwise.',
  }),
  failing_since: Nullable(Timestamp),
  last_success_at: Nullable(Timestamp),
  previous_secret_expires_at: Nullable(Timestamp),
  created_by: Nullable(Type.String()),
  revision: Type.Integer(),
  created_at: Timestamp,
  updated_at: Timestamp,
});
export type WebhookRecord = Static<typeof Webhook>;

export const WebhookWithSecret = Type.Object({
  ...Webhook.properties,
  secret: Type.Optional(
    Type.String({ description: '`whsec_…`. Returned only in this answer; absent for `ed25519`.' }),
  ),
});
export type WebhookWithSecret = Static<typeof WebhookWithSecret>;

export const Delivery = Type.Object({
  id: Type.String({ description: '`dlv_` and an opaque string.' }),
  message_id: Type.String(),
  type: Type.String(),
  attempt: Type.Integer({ minimum: 1 }),
  status: Type.Enum(['succeeded', 'failed']),
  status_code: Nullable(Type.Integer()),
  fault: Type.Union([Type.String(), Type.Null()], {
    description:
      'Why there was no answer: `url_not_allowed`, `dns_failed` (no allowed address was found for the name in time), `unreachable`, `timed_out` or `secret_unreadable`. Null when there was an answer.',
  }),
  response_excerpt: Nullable(Type.String()),
  duration_ms: Type.Integer(),
  timestamp: Timestamp,
});
export type DeliveryRecord = Static<typeof Delivery>;

const MESSAGE_STATUSES = ['pending', 'delivering', 'succeeded', 'failed', 'exhausted', 'cancelled'] as const;

export const WebhookMessage = Type.Object({
  id: Type.String({ description: '`msg_` and an opaque string; sent as the header `webhook-id`.' }),
  webhook_id: Type.String(),
  type: Type.String(),
  status: Type.Enum([...MESSAGE_STATUSES]),
  attempts: Type.Integer(),
  next_attempt_at: Nullable(Timestamp),
  body: Type.String({ description: 'The exact text that is signed and sent.' }),
  deliveries: Type.Array(Delivery),
  created_at: Timestamp,
});
export type MessageRecord = Static<typeof WebhookMessage>;

export const DeliveryPage = Type.Object({
  data: Type.Array(Delivery),
  meta: Type.Object({
    page: Type.Integer({ minimum: 1 }),
    per_page: Type.Integer({ minimum: 1, maximum: 200 }),
    total: Type.Integer({ minimum: 0 }),
    next_cursor: Type.Union([Type.String(), Type.Null()], {
      description: 'The `cursor` of the next page; null on the last one.',
    }),
  }),
});

export const RotateBody = Type.Object({
  overlap_hours: Type.Optional(
    Type.Integer({
      minimum: 0,
      maximum: 168,
      description:
        'Hours during which the old secret also signs. Default 24; with 0, the old secret stops signing at once.',
    }),
  ),
  comment: Type.Optional(Comment),
});

export const ReplayBody = Type.Object({
  from: Timestamp,
  to: Timestamp,
  status: Type.Optional(
    Type.Enum(['succeeded', 'failed', 'exhausted', 'cancelled'], { description: 'Default `exhausted`.' }),
  ),
  comment: Type.Optional(Comment),
});

export const ReplayAnswer = Data(
  Type.Object({
    replayed: Type.Integer({ description: 'Number of messages that are sent again, at most 1,000.' }),
  }),
);
