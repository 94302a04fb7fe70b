import type { FastifyInstance } from 'fastify';
import type { ErrorCode } from './error-codes.ts';

/** How far the process is behind, as a request sees it when it is handled; milliseconds. */
export interface Backlog {
  /** Since the first request of this turn of the event loop: this one has waited so long if both came together. */
  readonly turnMs: number;
  /** Since the last turn but one that was long. */
  readonly sinceLongMs: number;
}

/** Refused from this moment of a turn on, when a queue stands. */
const MANAGEMENT_TURN_MS = 30;
const DATA_PLANE_TURN_MS = 100;
const LONG_TURN_MS = 50;
/** One long turn is a long piece of work; two within this time are a queue. */
const MEMORY_MS = 1_000;
const RETRY_AFTER_SECONDS = 2;

const REFUSAL = JSON.stringify({
  error: {
    code: 'SERVICE_UNAVAILABLE' satisfies ErrorCode,
    message: `The server is overloaded; try again in ${RETRY_AFTER_SECONDS} seconds.`,
    details: {},
  },
});

/** True when a request would only make a queue longer. */
export function isTooMuch({ turnMs, sinceLongMs }: Backlog, kind: 'management' | 'data plane'): boolean {
  return (
    sinceLongMs < MEMORY_MS && turnMs > (kind === 'management' ? MANAGEMENT_TURN_MS : DATA_PLANE_TURN_MS)
  );
}

/**
 * Refuses what a process that is behind cannot answer in time, before anything is done for it: first management,
 * then what SDKs ask; never `/health`. Register it before whatever costs (decision 0111).
 */
export function shedLoad(app: FastifyInstance): void {
  let begun: number | undefined;
  /** When the last two long turns have ended, the older one first. */
  let long = [Number.NEGATIVE_INFINITY, Number.NEGATIVE_INFINITY] as const;
  const end = (): void => {
    const ended = performance.now();
    if (ended - begun! > LONG_TURN_MS) long = [long[1], ended];
    begun = undefined;
  };
  app.addHook('onRequest', (request, reply, done) => {
    if (begun === undefined) {
      begun = performance.now();
      // After whatever else was ready in this turn.
      setImmediate(end);
      return done();
    }
    const time = performance.now();
    const backlog = { turnMs: time - begun, sinceLongMs: time - long[0] };
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
