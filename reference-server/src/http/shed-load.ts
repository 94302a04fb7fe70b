import type { FastifyInstance } from 'fastify';
import type { ErrorCode } from './errors.ts';

/** How overloaded the process is when a request is handled. */
export interface Backlog {
  /**
   * Time since the first request of this event loop iteration, in milliseconds. This request has waited at least as
   * long.
   */
  readonly loopMs: number;
  /** Long iterations before this one, each within a second of the next. */
  readonly longLoops: number;
}

/** The part of the API that a request belongs to. */
export type RequestKind = 'management' | 'data plane';

/** While a queue exists, requests are refused once the iteration has lasted this long. */
const MANAGEMENT_LOOP_MS = 30;
const DATA_PLANE_LOOP_MS = 100;
/** An iteration longer than this counts as long. */
const LONG_LOOP_MS = 50;
/** Two long iterations within this time mean that there is a queue; one alone is a single long piece of work. */
const MEMORY_MS = 1_000;
/** Minimum time between measurements, because measuring each of the many iterations would cost too much. */
const PAUSE_MS = 2;
const QUEUE_LOOPS = 2;
const RETRY_AFTER_SECONDS = 2;

const REFUSAL = JSON.stringify({
  error: {
    code: 'SERVICE_UNAVAILABLE' satisfies ErrorCode,
    message: `The server is overloaded; try again in ${RETRY_AFTER_SECONDS} seconds.`,
    details: { reason: 'overloaded' },
  },
});

/** True when the process is too overloaded for a request of this kind. */
export function isTooMuch({ loopMs, longLoops }: Backlog, kind: RequestKind): boolean {
  return (
    longLoops >= QUEUE_LOOPS && loopMs > (kind === 'management' ? MANAGEMENT_LOOP_MS : DATA_PLANE_LOOP_MS)
  );
}

/** Returns a function that measures event loop iterations. Call it for each request, when the request is handled. */
function createBacklog(): () => Backlog {
  let begun: number | undefined;
  let longLoops = 0;
  let longEndedAt = 0;
  let endedAt = 0;
  const end = (): void => {
    endedAt = performance.now();
    if (endedAt - begun! > LONG_LOOP_MS) {
      longLoops += 1;
      longEndedAt = endedAt;
    }
    begun = undefined;
  };
  return () => {
    const time = performance.now();
    if (begun !== undefined) return { loopMs: time - begun, longLoops };
    if (time - endedAt > PAUSE_MS) {
      begun = time;
      if (begun - longEndedAt > MEMORY_MS) longLoops = 0;
      // Runs after everything else that is ready in this iteration.
      setImmediate(end);
    }
    return { loopMs: 0, longLoops };
  };
}

/**
 * Refuses requests that an overloaded process cannot answer in time: first management, then the data plane, never
 * `/health`. Register it before any hook that costs time. The returned function gives the same verdict for a request
 * that bypasses the app's hooks.
 */
export function shedLoad(
  app: FastifyInstance,
  onRefused: () => void = () => {},
): (kind: RequestKind) => boolean {
  const backlog = createBacklog();
  app.addHook('onRequest', (request, reply, done) => {
    const behind = backlog();
    // The data plane is refused later than management, so if management is not refused, nothing is.
    if (!isTooMuch(behind, 'management')) return done();
    const { config, url } = request.routeOptions;
    if (!isTooMuch(behind, config.access === 'apiKey' ? 'data plane' : 'management')) return done();
    if (url?.startsWith('/health') === true) return done();
    onRefused();
    // A refusal must cost almost nothing, so it skips the error handler.
    reply
      .code(503)
      .header('retry-after', RETRY_AFTER_SECONDS)
      .header('content-type', 'application/json; charset=utf-8')
      .send(REFUSAL);
  });
  return (kind) => isTooMuch(backlog(), kind);
}
