import type { FastifyContextConfig, FastifyReply, FastifyRequest } from 'fastify';
import { operationOf } from '../answer-metrics.ts';
import { createLineLimit } from './line-limit.ts';

/** What an error handler knows about a failed request. */
export interface Failure {
  /** The error code of the answer. */
  readonly code: string;
  /** The error, if nobody threw it on purpose. */
  readonly err?: unknown;
}

/** An answered request that gets a line in the log. */
export interface Answered {
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
  readonly failure: Failure | undefined;
  readonly ms: number;
}

export interface RequestLine {
  readonly level: 'error' | 'info' | 'debug';
  readonly fields: object;
  readonly message: string;
}

export interface RequestLineOptions {
  /** Makes the path of a URL fit for the log. */
  readonly shownPath: (url: string) => string;
  /** The trace that a request belongs to. Absent: nothing is traced. */
  readonly traceIdOf?: ((request: FastifyRequest) => string | undefined) | undefined;
  /** Monotonic clock, milliseconds. */
  readonly now: () => number;
}

/** Parts of a request that the access check and the data plane add. */
interface Identified {
  readonly actor?: {
    readonly kind: string;
    readonly id: string | null;
    readonly email: string | null;
    readonly name?: string;
    readonly tokenId?: string;
  } | null;
  readonly grant?: { readonly keyId: string } | null;
}

/**
 * Returns the line of an answered request; undefined when it is left out, because too many requests of unknown senders
 * or SDKs fail at once. Contains no headers, bodies or query strings.
 */
export function createRequestLine(
  options: RequestLineOptions,
): (answered: Answered) => RequestLine | undefined {
  const { shownPath, traceIdOf, now } = options;
  // Separate, so that a flood of refusals cannot push a fault of the server out of the log.
  const refusals = createLineLimit(now);
  const faults = createLineLimit(now);

  return ({ request, reply, failure, ms }) => {
    const { method, url, ip } = request;
    const status = reply.statusCode;
    const { headersSent, writableEnded } = reply.raw;
    const isMember = (request as Identified).actor != null;
    const leftOut = status < 400 || isMember ? 0 : (status < 500 ? refusals : faults)();
    if (leftOut === undefined) return undefined;
    const { config, schema } = request.routeOptions;
    const traceId = traceIdOf?.(request);
    const fields = {
      operation: operationOf(config, schema),
      method,
      path: shownPath(url),
      ...(headersSent && { status }),
      ...(failure !== undefined && { code: failure.code }),
      ms: Math.round(ms),
      actor: actorOf(request as Identified),
      address: ip,
      ...(traceId !== undefined && { trace_id: traceId }),
      ...(!writableEnded && { aborted: true }),
      ...(leftOut > 0 && { left_out: leftOut }),
      ...(failure?.err !== undefined && { err: failure.err }),
    };
    const isWorthwhile = status >= 400 || isManagementWrite(config, method);
    const level = status >= 500 ? 'error' : isWorthwhile ? 'info' : 'debug';
    return { level, fields, message: status >= 500 ? 'request failed' : 'request' };
  };
}

/** True for a request that may change something, other than the counts of SDKs. */
export function isManagementWrite(config: FastifyContextConfig | undefined, method: string): boolean {
  return config?.access !== 'apiKey' && method !== 'GET' && method !== 'HEAD' && method !== 'OPTIONS';
}

/** The sender of the request; null if unknown. A member's email tells an operator more than the id. */
function actorOf({ actor, grant }: Identified): object | null {
  if (actor == null) return grant == null ? null : { kind: 'sdk_key', id: grant.keyId };
  const { kind, id, email, name, tokenId } = actor;
  return {
    kind,
    id,
    ...(email !== null && { email }),
    ...(name !== undefined && { name }),
    ...(tokenId !== undefined && { token: tokenId }),
  };
}
