import type { FastifyBaseLogger, FastifyInstance } from 'fastify';

type Bindings = Parameters<FastifyBaseLogger['child']>[0];
type Level = 'fatal' | 'error' | 'warn' | 'info' | 'debug' | 'trace';

/**
 * Gives every request a logger that carries its id, at almost no cost: the child logger is created on the first line, and
 * nothing waits for the end of the request. Fastify itself gets no logger and a `logController` that logs no requests.
 */
export function registerRequestLog(app: FastifyInstance, logger: FastifyBaseLogger): void {
  app.setChildLoggerFactory(
    (_none, bindings) => new RequestLog(logger, bindings) as unknown as FastifyBaseLogger,
  );
}

/** Logs one line per request of `app`, once it is answered. */
export function logRequests(app: FastifyInstance): void {
  app.addHook('onResponse', (request, reply, done) => {
    const { method, url } = request;
    request.log.info({ method, url, status: reply.statusCode, ms: Math.round(reply.elapsedTime) }, 'request');
    done();
  });
}

/** A class rather than closures, because one is created for every request. */
class RequestLog {
  readonly #logger: FastifyBaseLogger;
  readonly #bindings: Bindings;
  #own: FastifyBaseLogger | undefined;

  constructor(logger: FastifyBaseLogger, bindings: Bindings) {
    this.#logger = logger;
    this.#bindings = bindings;
  }

  get level(): string {
    return this.#logger.level;
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
    this.#own ??= this.#logger.child(this.#bindings);
    return this.#own;
  }

  #write(level: Level, parts: unknown[]): void {
    const own = this.#open();
    (own[level] as (...parts: unknown[]) => void).apply(own, parts);
  }
}
