import { type Static, type TObject, type TSchema, Type } from 'typebox';
import { DryRunAnswer } from '../../http/dry-run.ts';
import { errorAnswers, page } from '../../http/envelope.ts';
import type { ErrorCode } from '../../http/error-codes.ts';
import type { RateCategory } from '../../http/rate-limit.ts';
import { Warnings } from '../../http/warnings.ts';
import type { DeploymentMode } from '../../lib/deployment-modes.ts';
import type { Access } from '../access/authenticate.ts';
import { isOpenToEnrolment } from '../access/permissions.ts';

/** What a route says of itself: enough to check a request, to guard it and to document it. */
export interface RouteDescription<Body extends TSchema, Query extends TObject, Params extends TObject> {
  readonly access: Access;
  readonly limitByIp?: boolean;
  /** Counted beside `management`, by user: `bulk` for whatever moves many things at once. */
  readonly rateCategory?: RateCategory;
  /** The deployment mode that it belongs to; default `oss`. */
  readonly mode?: DeploymentMode;
  /** Unique over the whole API. */
  readonly operationId: string;
  readonly tag: string;
  /** One line of plain text, as in a table of contents. */
  readonly summary: string;
  /** What the operation does, returns and refuses, in Markdown. */
  readonly description?: string;
  readonly params?: Params;
  readonly query?: Query;
  readonly body?: Body;
  /** Status and body of success; without a body for 204. */
  readonly answer: readonly [status: 200 | 201 | 202, body: TSchema] | readonly [status: 204];
  /** Further successes, by status. */
  readonly alsoAnswers?: Readonly<Record<number, TSchema>>;
  /** The codes of its own; those that every such route has are added. */
  readonly errors?: readonly ErrorCode[];
  /** True for a POST that takes no body, answers 200 and writes nothing: what is sent to it is read all the same. */
  readonly isPost?: boolean;
  /** True when it writes through the gate with `changeOptions`, and so takes their headers. */
  readonly writes?: boolean;
}

/** The headers that `changeOptions` reads. */
const WriteHeaders = Type.Object({
  'if-match': Type.Optional(
    Type.String({ description: 'Entity tag of the revision that the change is based on; else 412.' }),
  ),
  'if-none-match': Type.Optional(
    Type.String({ description: '`*`: refused with 412 where the resource is there already.' }),
  ),
  'idempotency-key': Type.Optional(
    Type.String({ description: 'On POST: within 24 hours the same request gets the same answer.' }),
  ),
  'x-change-comment': Type.Optional(
    Type.String({ description: 'Why, for calls without a body; others say it in `comment`.' }),
  ),
  'x-break-glass': Type.Optional(
    Type.String({
      description: 'An open break-glass session, which carries the change through a freeze window.',
    }),
  ),
  'x-break-glass-justification': Type.Optional(
    Type.String({
      description: 'Opens a break-glass session for this call alone: at least 20 characters of text.',
    }),
  ),
});

/** Fastify's options for a route, typed for its handler. Every route of the control plane is made with this. */
export function route<
  Body extends TSchema = TSchema,
  Query extends TObject = TObject,
  Params extends TObject = TObject,
>(
  description: RouteDescription<Body, Query, Params>,
): {
  config: {
    access: Access;
    limitByIp: boolean;
    writes: boolean;
    rateCategory?: RateCategory;
    mode?: DeploymentMode;
    documentedHeaders?: TObject;
  };
  schema: { body: Body; querystring: Query; params: Params };
} {
  const { access, answer, body, params, writes = false } = description;
  const query = writes ? withDryRun(description.query) : description.query;
  const schema = {
    operationId: description.operationId,
    tags: [description.tag],
    summary: description.summary,
    ...(description.description !== undefined && { description: description.description }),
    security: access === 'public' ? [] : access === 'apiKey' ? [{ apiKey: [] }] : [{ bearerAuth: [] }],
    ...(params && { params }),
    ...(query && { querystring: query }),
    ...(body && { body }),
    response: {
      ...successes(answer, writes),
      ...description.alsoAnswers,
      ...errorAnswers([...(description.errors ?? []), ...commonErrors(description)]),
    },
  };
  return {
    config: {
      access,
      limitByIp: description.limitByIp ?? false,
      writes,
      ...(description.rateCategory && { rateCategory: description.rateCategory }),
      ...(description.mode && { mode: description.mode }),
      ...(description.writes && { documentedHeaders: WriteHeaders }),
    },
    schema: schema as unknown as { body: Body; querystring: Query; params: Params },
  };
}

/** A write may be tried: 200 is then what it would do. */
function successes([status, body]: RouteDescription<TSchema, TObject, TObject>['answer'], writes: boolean) {
  if (!writes) return { [status]: body ?? Type.Null({ description: 'Done; no body.' }) };
  const success = body === undefined ? Type.Null({ description: 'Done; no body.' }) : withWarnings(body);
  if (status === 200 && body !== undefined) return { 200: Type.Union([success, DryRunAnswer]) };
  return { [status]: success, 200: DryRunAnswer };
}

/** The schema of an answer that can warn beside its `data`. */
export function withWarnings(body: TSchema): TSchema {
  const { properties = {} } = body as TObject;
  return Type.Object({ ...properties, warnings: Warnings });
}

const DryRunQuery = Type.Optional(
  Type.Boolean({ description: 'Checks everything, writes nothing, and answers 200 with the plan.' }),
);

function withDryRun<Query extends TObject>(query: Query | undefined): Query {
  return Type.Object({ ...query?.properties, dry_run: DryRunQuery }) as unknown as Query;
}

function commonErrors(of: RouteDescription<TSchema, TObject, TObject>): ErrorCode[] {
  const codes: ErrorCode[] = ['INTERNAL_ERROR', 'SERVICE_UNAVAILABLE'];
  if (of.access !== 'public' || of.limitByIp === true) codes.push('RATE_LIMIT_EXCEEDED');
  if (of.access !== 'public') {
    codes.push('UNAUTHENTICATED', 'INVALID_TOKEN', 'TOKEN_EXPIRED', 'INSUFFICIENT_PERMISSIONS');
    if (!isOpenToEnrolment(of.access)) codes.push('MFA_ENROLLMENT_REQUIRED');
  }
  // Also where nothing is asked for: strictness refuses every parameter that is not known.
  if (of.access !== 'apiKey' || of.params !== undefined || of.query !== undefined)
    codes.push('VALIDATION_ERROR');
  // A path that is badly encoded reaches no route.
  if (of.params !== undefined) codes.push('NOT_FOUND');
  if (of.body !== undefined) codes.push('VALIDATION_ERROR', 'LIMIT_EXCEEDED');
  // A body is read, and may be refused, also where none is asked for.
  if (of.body !== undefined || of.answer[0] !== 200 || of.writes === true || of.isPost === true)
    codes.push(...BODY_ERRORS);
  if (of.writes === true) codes.push(...WRITE_ERRORS);
  return codes;
}

const BODY_ERRORS = [
  'VALIDATION_ERROR',
  'MALFORMED_JSON',
  'PAYLOAD_TOO_LARGE',
  'UNSUPPORTED_MEDIA_TYPE',
  'REQUEST_TIMEOUT',
] as const satisfies readonly ErrorCode[];

const WRITE_ERRORS = [
  'ORGANIZATION_SUSPENDED',
  'AGENT_NOT_ALLOWED',
  'FREEZE_WINDOW_ACTIVE',
  'COMMENT_REQUIRED',
  'JUSTIFICATION_REQUIRED',
  'REAUTHENTICATION_REQUIRED',
  'BREAK_GLASS_EXPIRED',
  'BREAK_GLASS_OUT_OF_SCOPE',
  'PRECONDITION_FAILED',
  'IDEMPOTENCY_KEY_INVALID',
  'IDEMPOTENCY_KEY_REUSED',
] as const satisfies readonly ErrorCode[];

/** Query parameters of every paged list. */
export const pageQuery = {
  page: Type.Optional(Type.Integer({ minimum: 1, description: 'Default 1.' })),
  per_page: Type.Optional(Type.Integer({ minimum: 1, maximum: 200, description: 'Default 50.' })),
};

const PageQuery = Type.Object(pageQuery);

/** The page that a list request asks for, with what a query needs. */
export function pageOf(query: Static<typeof PageQuery>): {
  page: number;
  per_page: number;
  limit: number;
  offset: number;
} {
  const { page = 1, per_page = 50 } = query;
  return { page, per_page, limit: per_page, offset: (page - 1) * per_page };
}

/** The page that was asked for of a list that is at hand: only for lists that stay short. */
export function cutPage<T>(all: readonly T[], query: Static<typeof PageQuery>): ReturnType<typeof page<T>> {
  const { limit, offset, ...range } = pageOf(query);
  return page(all.slice(offset, offset + limit), { ...range, total: all.length });
}
