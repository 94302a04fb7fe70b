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

/** The body of every message that tells of a change. */
const ChangeMessage = {
  type: 'object',
  required: ['type', 'timestamp', 'data'],
  properties: {
    type: {
      type: 'string',
      description: 'The action, as the audit log names it; or `flag.stale`, `ruleset.updated`.',
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
          description: 'Only of changes of a flag; in a thin message with id and key alone.',
          properties: {
            id,
            key: { type: 'string' },
            enabled: { type: ['boolean', 'null'] },
            revision: { type: 'integer' },
          },
        },
        changes: {
          type: 'object',
          description: 'Per changed field; not in a thin message.',
          additionalProperties: {
            type: 'object',
            required: ['from', 'to'],
            properties: { from: {}, to: {} },
          },
        },
        thin: { const: true, description: 'Asked for, or the whole would be longer than 20 KiB.' },
        actor: {
          type: 'object',
          required: ['id', 'kind'],
          properties: { id: { type: ['string', 'null'] }, kind: { type: 'string' } },
        },
        ruleset_version: { type: 'integer', description: 'Of the environment, where it has a new one.' },
        ruleset_versions: {
          type: 'object',
          description: 'By environment, where several have a new one.',
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
    '`v1,<base64>`: HMAC-SHA256 of `<id>.<timestamp>.<body>` under the secret; two of them, with a space between, while the secret is rotated; `v1a,…` for Ed25519.',
  ),
];

/** The `webhooks` of the document: every type of message that webhooks can ask for. */
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
            '2XX': { description: 'Taken. Anything else is tried again, ten times over three days.' },
            '410': { description: 'Gone: the webhook is disabled.' },
            '429': { description: 'Busy; `Retry-After` is honoured. So it is with 503.' },
          },
        },
      },
    ]),
  );
}

/** The components that the webhooks refer to. */
export const WEBHOOK_SCHEMAS = { ChangeMessage, PingMessage };

function summaryOf(type: string): string {
  if (type === PING) return 'Somebody tries the webhook';
  if (type === RULESET_UPDATED)
    return 'The ruleset of an environment has a new version; comes only where it is asked for by name';
  if (type === FLAG_STALE)
    return 'A flag has become stale, by the nightly job or by a person; comes beside the change itself';
  const [noun, action] = type.split('.') as [string, string];
  return `${noun.replaceAll('_', ' ')}: ${action.replaceAll('_', ' ')}`.replace(/^./, (first) =>
    first.toUpperCase(),
  );
}
