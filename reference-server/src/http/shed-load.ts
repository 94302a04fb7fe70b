import type { FastifyInstance } from 'fastify';
import type { ErrorCode } from './error-codes.ts';

/** How far the process is behind, as a request sees it when it is handled; milliseconds. */
export interface Backlog {
  /** Since the first request of this turn of the event loop: this one has waited so long if both came together. */
  readonly turnMs: number;
  /** Long turns before this one, with less than a second from one to the next. */
  readonly longTurns: number;
}

/** Refused from this moment of a turn on, when a queue stands. */
const MANAGEMENT_TURN_MS = 30;
const DATA_PLANE_TURN_MS = 100;
const LONG_TURN_MS = 50;
/** One long turn is a long piece of work; two with less than this between them are a queue. */
const MEMORY_MS = 1_000;
const QUEUE_TURNS = 2;
const RETRY_AFTER_SECONDS = 2;

const REFUSAL = JSON.stringify({
  error: {
    code: 'SERVICE_UNAVAILABLE' satisfies ErrorCode,
    message: `The server is overloaded; try again in ${RETRY_AFTER_SECONDS} seconds.`,
    details: {},
  },
});

/** True when a request would only make a queue longer. */
export function isTooMuch({ turnMs, longTurns }: Backlog, kind: 'management' | 'data plane'): boolean {
  return (
    longTurns >= QUEUE_TURNS && turnMs > (kind === 'management' ? MANAGEMENT_TURN_MS : DATA_PLANE_TURN_MS)
  );
}

/**
 * Refuses what a process that is behind cannot answer in time, before anything is done for it: first management,
 * then what SDKs ask; never `/health`. Register it before whatever costs (decision 0111).
 */
export function shedLoad(app: FastifyInstance): void {
  let begun: number | undefined;
  let longTurns = 0;
  let longEndedAt = 0;
  const end = (): void => {
    const time = performance.now();
    if (time - begun! > LONG_TURN_MS) {
      longTurns += 1;
      longEndedAt = time;
    }
    begun = undefined;
  };
  app.addHook('onRequest', (request, reply, done) => {
    const time = performance.now();
    if (begun === undefined) {
      begun = time;
      if (begun - longEndedAt > MEMORY_MS) longTurns = 0;
      // After whatever else was ready in this turn.
      setImmediate(end);
      return done();
    }
    const backlog = { turnMs: time - begun, longTurns };
    const { access } = request.routeOptions.config;
    if (!isTooMuch(backlog, access === 'apiKey' ? 'data plane' : 'management')) return done();
    if (request.routeOptions.url?.startsWith('/health') === true) return done();
    // A refusal must cost next to nothing, so none of what an error costs.
    reply
      .code(503)
      .header('retry-after', RETRY_AFTER_SECONDS)
      .header('content-type', 'application/json; charset=utf-8')
      .send(REFUSAL);
  });
}
