import type { TObject, TSchema } from 'typebox';
import type { ErrorCode } from '../../http/errors.ts';
import type { RateCategory } from '../../http/rate-limits.ts';
import type { DeploymentMode } from '../../lib/deployment-modes.ts';
import type { Access } from '../access/route-access.ts';

/** An endpoint: its permission, its schemas and its documentation. */
export interface RouteDescription<Body extends TSchema, Query extends TObject, Params extends TObject> {
  readonly access: Access;
  /** True for public endpoints that are limited by IP address. */
  readonly limitByIp?: boolean;
  /** A limit per user, in addition to `management`: `bulk` for requests that change many things at once. */
  readonly rateCategory?: RateCategory;
  /** The deployment mode that serves the endpoint; default `oss`. */
  readonly mode?: DeploymentMode;
  /** Unique in the API. */
  readonly operationId: string;
  readonly tag: string;
  /** One line of plain text, as in a table of contents. */
  readonly summary: string;
  /** What the operation does, returns and refuses, in Markdown. */
  readonly description?: string;
  readonly params?: Params;
  readonly query?: Query;
  readonly body?: Body;
  /** Status and body of success; 204 has no body. */
  readonly answer: readonly [status: 200 | 201 | 202, body: TSchema] | readonly [status: 204];
  /** Further successes, by status. */
  readonly alsoAnswers?: Readonly<Record<number, TSchema>>;
  /** The endpoint's own error codes; `route` adds the common ones. */
  readonly errors?: readonly ErrorCode[];
  /** True for a POST that has no body schema, answers 200 and writes nothing. Its body is still parsed and can be refused. */
  readonly isPost?: boolean;
  /**
   * True for a write whose handler uses `changeOptions`: adds `dry_run`, warnings and the headers that `changeOptions`
   * reads.
   */
  readonly writes?: boolean;
}
