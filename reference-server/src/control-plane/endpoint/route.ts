import { type TObject, type TSchema, Type } from 'typebox';
import { DryRunAnswer } from '../../http/dry-run.ts';
import { errorAnswers } from '../../http/envelope.ts';
import type { RateCategory } from '../../http/rate-limits.ts';
import { Warnings } from '../../http/warnings.ts';
import type { DeploymentMode } from '../../lib/deployment-modes.ts';
import type { Access } from '../access/route-access.ts';
import { commonErrors } from './common-errors.ts';
import type { RouteDescription } from './route-description.ts';
import { WriteHeaders } from './write-headers.ts';

/** Makes the Fastify options of an endpoint, with types for its handler. Every control-plane route uses it. */
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

/** The success schemas; a write also answers 200 with the plan of a dry run. */
function successes([status, body]: RouteDescription<TSchema, TObject, TObject>['answer'], writes: boolean) {
  if (!writes) return { [status]: body ?? Type.Null({ description: 'Done; no body.' }) };
  const success = body === undefined ? Type.Null({ description: 'Done; no body.' }) : withWarnings(body);
  if (status === 200 && body !== undefined) return { 200: Type.Union([success, DryRunAnswer]) };
  return { [status]: success, 200: DryRunAnswer };
}

/** Adds `warnings` to the schema of an envelope. */
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
