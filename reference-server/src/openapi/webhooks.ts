import {
  FLAG_STALE,
  PING,
  RULESET_UPDATED,
  WEBHOOK_TYPES,
} from '../control-plane/write-gate/audit-actions.ts';

const ULID = '01KAGJ7Q8V3W5X6Y7Z8A9B0C1D';

const id = { type: 'string' };
const keyed = (more: object = {}) => ({
  anyOf: [
    { type: 'object', required: ['id', 'key'], properties: { id, key: { type: 'string' }, ...more } },
    { type: 'null' },
  ],
});

/** The body of every message about a change. */
const ChangeMessage = {
  type: 'object',
  required: ['type', 'timestamp', 'data'],
  properties: {
    type: {
      type: 'string',
      description: 'The action as in the audit log, or `flag.stale` or `ruleset.updated`.',
    },
    timestamp: { type: 'string', format: 'date-time', description: 'When the change was made.' },
    data: {
      type: 'object',
      required: ['organization_id', 'project', 'environment', 'resource', 'actor', 'audit_id'],
      properties: {
        organization_id: id,
        project: keyed(),
        environment: keyed({ type: { enum: ['development', 'staging', 'production'] } }),
        resource: {
          type: 'object',
          required: ['type', 'id', 'key'],
          properties: { type: { type: 'string' }, id, key: { type: ['string', 'null'] } },
        },
        flag: {
          type: 'object',
          required: ['id', 'key'],
          description: 'For changes of a flag; a thin message has only its id and key.',
          properties: {
            id,
            key: { type: 'string' },
            enabled: { type: ['boolean', 'null'] },
            revision: { type: 'integer' },
          },
        },
        changes: {
          type: 'object',
          description: 'The changed fields; absent in a thin message.',
          additionalProperties: {
            type: 'object',
            required: ['from', 'to'],
            properties: { from: {}, to: {} },
          },
        },
        thin: {
          const: true,
          description:
            'True when the webhook is set to thin messages, or the full message would exceed 20 KiB.',
        },
        actor: {
          type: 'object',
          required: ['id', 'kind'],
          properties: { id: { type: ['string', 'null'] }, kind: { type: 'string' } },
        },
        ruleset_version: {
          type: 'integer',
          description: 'The new ruleset version of the environment, if the change made one.',
        },
        ruleset_versions: {
          type: 'object',
          description: 'New ruleset versions by environment id, when the change made several.',
          additionalProperties: { type: 'integer' },
        },
        audit_id: { type: 'string', description: 'The audit entry, `evt_…`.' },
      },
    },
  },
};

const PingMessage = {
  type: 'object',
  required: ['type', 'timestamp', 'data'],
  properties: {
    type: { const: 'ping' },
    timestamp: { type: 'string', format: 'date-time' },
    data: { type: 'object', properties: { webhook_id: id } },
  },
};

const example = (type: string) => ({
  type,
  timestamp: '2026-11-20T10:00:00.000Z',
  data: {
    organization_id: `org_${ULID}`,
    project: { id: `prj_${ULID}`, key: 'web' },
    environment: { id: `env_${ULID}`, key: 'production', type: 'production' },
    resource: {
      type: type.split('.')[0],
      id: `${type.startsWith('flag.') ? 'flg' : 'res'}_${ULID}`,
      key: 'dark-mode',
    },
    ...(type.startsWith('flag.') && {
      flag: { id: `flg_${ULID}`, key: 'dark-mode', enabled: true, revision: 12 },
      changes:
        type === FLAG_STALE
          ? {
              status: { from: 'active', to: 'stale' },
              stale_reasons: { from: [], to: ['fully_rolled_out'] },
            }
          : { enabled: { from: false, to: true } },
    }),
    actor: { id: `usr_${ULID}`, kind: 'user' },
    ruleset_version: 481,
    audit_id: `evt_${ULID}`,
  },
});

const header = (name: string, description: string) => ({
  name,
  in: 'header',
  required: true,
  description,
  schema: { type: 'string' },
});

const HEADERS = [
  header('webhook-id', 'Id of the message, `msg_…`; the same in every attempt.'),
  header('webhook-timestamp', 'Unix time of the attempt in seconds.'),
  header(
    'webhook-signature',
    '`v1,<base64>`: HMAC-SHA256 of `<id>.<timestamp>.<body>` under the secret; two signatures, separated by a space, while the secret is being rotated; `v1a,…` for Ed25519.',
  ),
];

/** The `webhooks` of the document: every message type that a webhook can subscribe to. */
export function describeWebhooks(): Record<string, object> {
  return Object.fromEntries(
    [...WEBHOOK_TYPES, PING].map((type) => [
      type,
      {
        post: {
          operationId: `on${type
            .split(/[._]/)
            .map((word) => word.charAt(0).toUpperCase() + word.slice(1))
            .join('')}`,
          tags: ['Webhooks'],
          summary: summaryOf(type),
          security: [],
          parameters: HEADERS,
          requestBody: {
            required: true,
            content: {
              'application/json':
                type === PING
                  ? {
                      schema: { $ref: '#/components/schemas/PingMessage' },
                      example: {
                        type,
                        timestamp: '2026-11-20T10:00:00.000Z',
                        data: { webhook_id: `whk_${ULID}` },
                      },
                    }
                  : { schema: { $ref: '#/components/schemas/ChangeMessage' }, example: example(type) },
            },
          },
          responses: {
            '2XX': {
              description:
                'Accepted. After any other status except 410, the server tries again, ten times over three days.',
            },
            '410': { description: 'Gone: the server disables the webhook.' },
            '429': { description: 'Busy: the server honors `Retry-After`, also with 503.' },
          },
        },
      },
    ]),
  );
}

/** Schemas that the webhooks refer to. */
export const WEBHOOK_SCHEMAS = { ChangeMessage, PingMessage };

function summaryOf(type: string): string {
  if (type === PING) return 'Test message, sent on demand';
  if (type === RULESET_UPDATED)
    return 'An environment has a new ruleset version; only for webhooks that list this type by name';
  if (type === FLAG_STALE)
    return 'The nightly job or a user marked a flag as stale; sent in addition to the change itself';
  const [noun, action] = type.split('.') as [string, string];
  return `${noun.replaceAll('_', ' ')}: ${action.replaceAll('_', ' ')}`.replace(/^./, (first) =>
    first.toUpperCase(),
  );
}
