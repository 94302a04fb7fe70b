import type { FastifyError, FastifyInstance } from 'fastify';
import { failureOf, keepReading, toApiError } from '../../http/error-handler.ts';
import type { ApiError } from '../../http/errors.ts';
import { logFailure } from '../../http/log/request-log.ts';

/** The error codes of OpenFeature's remote evaluation protocol. */
export type OfrepErrorCode =
  | 'PARSE_ERROR'
  | 'TARGETING_KEY_MISSING'
  | 'INVALID_CONTEXT'
  | 'FLAG_NOT_FOUND'
  | 'GENERAL';

/** A 400 in the protocol's shape. */
export class OfrepError extends Error {
  readonly errorCode: OfrepErrorCode;

  constructor(errorCode: OfrepErrorCode, details: string) {
    super(details);
    this.errorCode = errorCode;
  }
}

/** Answers every error of this app in the protocol's shape: `{ key?, errorCode, errorDetails }`. */
export function registerOfrepErrors(app: FastifyInstance): void {
  app.setErrorHandler((error: FastifyError, request, reply) => {
    const { key } = (request.params ?? {}) as { key?: string };
    const send = (status: number, errorCode: OfrepErrorCode, errorDetails: string) =>
      reply.code(status).send({ ...(key !== undefined && { key }), errorCode, errorDetails });
    if (error instanceof OfrepError) {
      logFailure(request, reply.code(400), { code: error.errorCode });
      return send(400, error.errorCode, error.message);
    }
    const answer = toApiError(error, request);
    keepReading(answer, reply);
    logFailure(request, reply.code(answer.status), failureOf(answer, error));
    reply.headers(answer.headers);
    return send(answer.status, codeOf(answer), answer.message);
  });
}

/** PARSE_ERROR for invalid requests, GENERAL for everything else. */
function codeOf({ code, status }: ApiError): OfrepErrorCode {
  return code === 'PAYLOAD_TOO_LARGE' || status === 400 || status === 415 ? 'PARSE_ERROR' : 'GENERAL';
}
