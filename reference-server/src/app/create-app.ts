import Fastify, {
  type FastifyBaseLogger,
  type FastifyInstance,
  LogController,
  type onSendHookHandler,
} from 'fastify';
import { BODY_LIMIT_BYTES } from '../http/body.ts';
import { refuseSocket, sendError } from '../http/error-handler.ts';
import { dropForwardedPorts } from '../http/forwarded-ports.ts';
import { registerRequestLog } from '../http/log/request-log.ts';
import { requestIdOf, sendRequestId } from '../http/request-id.ts';
import { validatorCompiler } from '../http/validation.ts';
import type { Tracing } from '../telemetry/tracing/tracing.ts';

export interface AppOptions {
  /** Default: logs nothing. */
  readonly logger?: FastifyBaseLogger | undefined;
  /** Proxy addresses and ranges whose `X-Forwarded-For` is trusted; may be empty. */
  readonly trustProxy: readonly string[];
  /** Names the trace of each request in the log. Absent: nothing is traced. */
  readonly tracing?: Pick<Tracing, 'traceIdOf'> | undefined;
}

/** A request must arrive in full within this time; a slow client only ties up its own socket. */
const REQUEST_TIMEOUT_MS = 60_000;
/**
 * Long enough for any path that fits into Node's limit for headers, so that routes refuse long parameters themselves,
 * mostly with a 404.
 */
const PARAMETER_LENGTH_MAX = 16_384;

/** The Fastify instance without any route: limits, request ids, and errors outside of routes. */
export function createApp({ logger, trustProxy, tracing }: AppOptions): FastifyInstance {
  const app = Fastify({
    bodyLimit: BODY_LIMIT_BYTES,
    requestTimeout: REQUEST_TIMEOUT_MS,
    routerOptions: { maxParamLength: PARAMETER_LENGTH_MAX },
    // Trusting every proxy would let clients choose the address that rate limits count.
    trustProxy: trustProxy.length > 0 ? [...trustProxy] : false,
    requestIdHeader: false,
    // While the app closes, requests on open connections are answered as usual, with `Connection: close`.
    return503OnClosing: false,
    genReqId: ({ headers }) => requestIdOf(headers),
    frameworkErrors: (error, request, reply) => {
      reply.header('x-request-id', request.id);
      sendError(error, request, reply);
    },
    clientErrorHandler: (error, socket) => refuseSocket(error as NodeJS.ErrnoException, socket),
    logController: new LogController({ disableRequestLogging: true, requestIdLogLabel: 'request_id' }),
    schemaController: {
      // Handing in both compilers keeps Fastify from loading its own.
      compilersFactory: {
        buildValidator: () => validatorCompiler as never,
        // A compiled serializer would silently drop fields that its schema lacks.
        buildSerializer: () => () => (answer: unknown) => JSON.stringify(answer),
      },
    },
  });
  if (logger !== undefined) registerRequestLog(app, { logger, traceIdOf: tracing?.traceIdOf });
  dropLengthOf304(app);
  sendRequestId(app);
  if (trustProxy.length > 0) dropForwardedPorts(app);
  return app;
}

/** Fastify adds the length of the empty body to a HEAD answer; on a 304 that would describe an empty resource. */
function dropLengthOf304(app: FastifyInstance): void {
  app.addHook('onRoute', (route) => {
    if (route.method !== 'HEAD') return;
    const dropLength: onSendHookHandler = (...[, reply, payload, done]) => {
      if (reply.statusCode === 304) reply.removeHeader('content-length');
      done(null, payload);
    };
    route.onSend = [route.onSend ?? [], dropLength].flat();
  });
}
