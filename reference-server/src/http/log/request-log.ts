import type {
  FastifyBaseLogger,
  FastifyInstance,
  FastifyReply,
  FastifyRequest,
  onRequestHookHandler,
} from 'fastify';
import {
  createRequestLine,
  type Failure,
  isManagementWrite,
  type RequestLineOptions,
} from './request-line.ts';
import { createShownPath } from './shown-path.ts';

type Bindings = Parameters<FastifyBaseLogger['child']>[0];
type Level = 'fatal' | 'error' | 'warn' | 'info' | 'debug' | 'trace';

export interface RequestLogOptions {
  readonly logger: FastifyBaseLogger;
  readonly traceIdOf?: RequestLineOptions['traceIdOf'];
  /** Monotonic clock, milliseconds; default `performance.now`. */
  readonly now?: () => number;
}

/**
 * Logs one line for each write and each failed request of `app`; at level `debug`, for every request. Also gives every
 * request a logger that adds the request id. Successful requests of SDKs pay almost nothing: child loggers and listeners
 * are created only for requests that get a line. Call it before the routes are registered. Fastify itself gets no logger
 * and a `logController` that logs no requests.
 */
export function registerRequestLog(app: FastifyInstance, options: RequestLogOptions): void {
  const { logger, traceIdOf, now = () => performance.now() } = options;
  const lineOf = createRequestLine({ shownPath: createShownPath(app), traceIdOf, now });
  const deps: RequestLogDeps = { logger, now, lineOf };
  app.setChildLoggerFactory(
    (_none, bindings) => new RequestLog(deps, bindings) as unknown as FastifyBaseLogger,
  );
  const logsAll = logger.level === 'debug' || logger.level === 'trace';
  app.addHook('onRoute', (route) => {
    const isLogged = [route.method].flat().some((method) => isManagementWrite(route.config, method));
    if (!isLogged && !logsAll) return;
    route.onRequest = [watch, ...[route.onRequest ?? []].flat()];
  });
}

const watch: onRequestHookHandler = (request, reply, done) => {
  (request.log as unknown as RequestLog).watch(request, reply);
  done();
};

/** Puts a failed request into the log, with its line once it is answered. */
export function logFailure(request: FastifyRequest, reply: FastifyReply, failure: Failure): void {
  const { log } = request;
  if (log instanceof RequestLog) log.watch(request, reply, failure);
  // The data plane in an app of somebody else, with its own logger.
  else if (reply.statusCode >= 500) log.error({ err: failure.err, code: failure.code }, 'request failed');
}

interface RequestLogDeps {
  readonly logger: FastifyBaseLogger;
  readonly now: () => number;
  readonly lineOf: ReturnType<typeof createRequestLine>;
}

/** A class rather than closures, because one is created for every request. */
class RequestLog {
  readonly #deps: RequestLogDeps;
  readonly #bindings: Bindings;
  readonly #startedAt: number;
  #own: FastifyBaseLogger | undefined;
  #isWatched = false;
  #failure: Failure | undefined;

  constructor(deps: RequestLogDeps, bindings: Bindings) {
    this.#deps = deps;
    this.#bindings = bindings;
    this.#startedAt = deps.now();
  }

  get level(): string {
    return this.#deps.logger.level;
  }

  /** Logs the request once it is answered, or its client has gone. */
  watch(request: FastifyRequest, reply: FastifyReply, failure?: Failure): void {
    this.#failure = failure ?? this.#failure;
    if (this.#isWatched) return;
    this.#isWatched = true;
    reply.raw.once('close', () => {
      const { now, lineOf } = this.#deps;
      const ms = now() - this.#startedAt;
      const line = lineOf({ request, reply, failure: this.#failure, ms });
      if (line !== undefined) this.#write(line.level, [line.fields, line.message]);
    });
  }

  child(...options: Parameters<FastifyBaseLogger['child']>): FastifyBaseLogger {
    return this.#open().child(...options);
  }

  fatal(...parts: unknown[]): void {
    this.#write('fatal', parts);
  }

  error(...parts: unknown[]): void {
    this.#write('error', parts);
  }

  warn(...parts: unknown[]): void {
    this.#write('warn', parts);
  }

  info(...parts: unknown[]): void {
    this.#write('info', parts);
  }

  debug(...parts: unknown[]): void {
    this.#write('debug', parts);
  }

  trace(...parts: unknown[]): void {
    this.#write('trace', parts);
  }

  silent(): void {}

  #open(): FastifyBaseLogger {
    this.#own ??= this.#deps.logger.child(this.#bindings);
    return this.#own;
  }

  #write(level: Level, parts: unknown[]): void {
    const own = this.#open();
    (own[level] as (...parts: unknown[]) => void).apply(own, parts);
  }
}
