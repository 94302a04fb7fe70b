import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import { Type } from 'typebox';
import { Data, data } from '../../../http/envelope.ts';
import { Id, Timestamp } from '../../../http/schemas.ts';
import { normalizeTimestamp } from '../../../http/timestamps.ts';
import { actorOf } from '../../access/request-actor.ts';
import { pageOf, pageQuery } from '../../endpoint/paging.ts';
import { route } from '../../endpoint/route.ts';
import { TOTAL_MAX } from './audit-log-store.ts';
import { auditActorFields } from './audit-schemas.ts';
import type { AuditService } from './audit-service.ts';

const NullableText = Type.Union([Type.String(), Type.Null()]);

const AuditEntry = Type.Object({
  id: Type.String({ description: '`evt_` and an opaque string.' }),
  action: Type.String({ description: 'For example `flag.toggled`.' }),
  actor: Type.Object({
    ...auditActorFields,
    token_id: Type.Union([Type.String(), Type.Null()], {
      description: 'Id of the machine token that was used.',
    }),
  }),
  resource: Type.Object({ type: Type.String(), id: Type.String(), key: NullableText }),
  project_id: NullableText,
  environment_id: NullableText,
  changes: Type.Record(Type.String(), Type.Object({ from: Type.Unknown(), to: Type.Unknown() }), {
    description:
      'Old and new value of each changed field; lists of rules contain only the rules that differ.',
  }),
  comment: NullableText,
  via: Type.Enum(['api', 'dashboard', 'cli', 'mcp', 'schedule', 'import', 'bulk', 'system']),
  request_id: NullableText,
  ip: Type.Union([Type.String(), Type.Null()], {
    description: 'Returned to admins only, like `user_agent`.',
  }),
  user_agent: NullableText,
  break_glass_id: NullableText,
  change_request_id: NullableText,
  revision: Type.Union([Type.Integer(), Type.Null()], {
    description: 'Revision of the resource before the change.',
  }),
  timestamp: Timestamp,
});

const AuditPage = Type.Object({
  data: Type.Array(AuditEntry),
  meta: Type.Object({
    page: Type.Integer({ minimum: 1 }),
    per_page: Type.Integer({ minimum: 1, maximum: 200 }),
    total: Type.Integer({
      minimum: 0,
      maximum: TOTAL_MAX,
      description: `Number of matching entries; ${TOTAL_MAX} if there are that many or more.`,
    }),
    next_cursor: Type.Union([Type.String(), Type.Null()], {
      description: 'Send it as `cursor` to read older entries; null when there are none.',
    }),
  }),
});

const tag = 'Audit log';
const Text = Type.String({ minLength: 1, maxLength: 200 });

const listAuditLog = route({
  access: 'audit.read',
  operationId: 'listAuditLog',
  tag,
  summary: 'List audit entries',
  description:
    'Returns audit entries, newest first, filtered by the query. Entries that belong to no project are returned to ' +
    'admins only.',
  query: Type.Object({
    actor_id: Type.Optional(Id),
    actor_kind: Type.Optional(AuditEntry.properties.actor.properties.kind),
    action: Type.Optional(
      Type.String({
        pattern: '^[a-z_]+\\.(\\*|[a-z_]+)$',
        maxLength: 100,
        description: '`flag.toggled` or `flag.*`.',
      }),
    ),
    resource_type: Type.Optional(Id),
    resource_id: Type.Optional(Id),
    project_id: Type.Optional(Id),
    environment_id: Type.Optional({
      ...Id,
      description: 'Entries that concern this environment or all environments of its project.',
    }),
    break_glass: Type.Optional(
      Type.String({
        pattern: '^(any|true|false|bgl_.+)$',
        maxLength: 64,
        description:
          '`true` (or `any`): changes under break-glass; `false`: all others; or the id of a session.',
      }),
    ),
    from: Type.Optional(Timestamp),
    to: Type.Optional(Type.String({ format: 'date-time', description: 'Exclusive.' })),
    q: Type.Optional(Text),
    cursor: Type.Optional(
      Type.String({ pattern: '^evt_', maxLength: 64, description: '`meta.next_cursor`.' }),
    ),
    ...pageQuery,
  }),
  answer: [200, AuditPage],
});

const getAuditEntry = route({
  access: 'audit.read',
  operationId: 'getAuditEntry',
  tag,
  summary: 'Read an audit entry',
  description: 'Returns one audit entry. An entry that belongs to no project is returned to admins only.',
  params: Type.Object({ audit_entry_id: Id }),
  answer: [200, Data(AuditEntry)],
  errors: ['AUDIT_ENTRY_NOT_FOUND'],
});

/** `/audit-log`. */
export const auditRoutes: FastifyPluginAsyncTypebox<{ audit: AuditService }> = async (app, { audit }) => {
  app.get('/audit-log', listAuditLog, async (request) => {
    const { page, per_page, cursor, from, to, ...filter } = request.query;
    const range = pageOf({ ...(page && { page }), ...(per_page && { per_page }) });
    const { items, total, nextCursor } = await audit.list(
      actorOf(request),
      {
        ...filter,
        from: from && normalizeTimestamp(from, 'from', 'query'),
        to: to && normalizeTimestamp(to, 'to', 'query'),
      },
      // With a cursor, the page number has no effect.
      { limit: range.limit, offset: cursor === undefined ? range.offset : 0, cursor },
    );
    const meta = { page: range.page, per_page: range.per_page, total, next_cursor: nextCursor };
    return { data: items, meta };
  });

  app.get('/audit-log/:audit_entry_id', getAuditEntry, async (request) =>
    data(await audit.get(actorOf(request), request.params.audit_entry_id)),
  );
};
