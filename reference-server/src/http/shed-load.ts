import type { FastifyInstance } from 'fastify';
import type { ErrorCode } from './error-codes.ts';

/** How long a turn of the event loop has taken, as far as it is requests. */
export interface TurnClock {
  /** Since the first request of this turn, milliseconds; this request has waited so long if it came with the first. */
  readonly elapsedMs: number;
  /** What the last turn with requests took. */
  readonly lastMs: number;
}

/** What is asked for when a queue stands: refused from this moment of a turn on, milliseconds. */
const MANAGEMENT_TURN_MS = 20;
const DATA_PLANE_TURN_MS = 80;
const RETRY_AFTER_SECONDS = 2;

const REFUSAL = JSON.stringify({
  error: {
    code: 'SERVICE_UNAVAILABLE' satisfies ErrorCode,
    message: `The server is overloaded; try again in ${RETRY_AFTER_SECONDS} seconds.`,
    details: {},
  },
});

/**
 * True when a request would only make the queue longer. One long turn is a long piece of work; a queue makes one
 * after another.
 */
export function isTooMuch({ elapsedMs, lastMs }: TurnClock, kind: 'management' | 'data plane'): boolean {
  return Math.min(elapsedMs, lastMs) > (kind === 'management' ? MANAGEMENT_TURN_MS : DATA_PLANE_TURN_MS);
}

/**
 * Refuses what a process that is behind cannot answer in time, before anything is done for it: first management,
 * then what SDKs ask; never `/health`. Register it before whatever costs (decision 0111).
 */
export function shedLoad(app: FastifyInstance): void {
  let begun: number | undefined;
  let lastMs = 0;
  const end = (): void => {
    lastMs = performance.now() - begun!;
    begun = undefined;
  };
  app.addHook('onRequest', (request, reply, done) => {
    if (begun === undefined) {
      begun = performance.now();
      // After whatever else was ready in this turn.
      setImmediate(end);
      return done();
    }
    const clock = { elapsedMs: performance.now() - begun, lastMs };
    const { access } = request.routeOptions.config;
    if (!isTooMuch(clock, access === 'apiKey' ? 'data plane' : 'management')) return done();
    if (request.routeOptions.url?.startsWith('/health') === true) return done();
    // A refusal must cost next to nothing, so none of what an error costs.
    reply
      .code(503)
      .header('retry-after', RETRY_AFTER_SECONDS)
      .header('content-type', 'application/json; charset=utf-8')
      .send(REFUSAL);
  });
}
