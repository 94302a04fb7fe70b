import type { FastifyInstance } from 'fastify';
import type { ErrorCode } from './error-codes.ts';

/** How far the process is behind, as a request sees it when it is handled; milliseconds. */
export interface Backlog {
  /** Since the first request of this turn of the event loop: this one has waited so long if both came together. */
  readonly turnMs: number;
  /** Long turns before this one, with less than a second from one to the next. */
  readonly longTurns: number;
}

/** Whom a request is for. */
export type RequestKind = 'management' | 'data plane';

/** Refused from this moment of a turn on, when a queue stands. */
const MANAGEMENT_TURN_MS = 30;
const DATA_PLANE_TURN_MS = 100;
const LONG_TURN_MS = 50;
/** One long turn is a long piece of work; two with less than this between them are a queue. */
const MEMORY_MS = 1_000;
/** Turns are measured at most this often: short ones are many, and looking at each costs as much as a hook. */
const PAUSE_MS = 2;
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
export function isTooMuch({ turnMs, longTurns }: Backlog, kind: RequestKind): boolean {
  return (
    longTurns >= QUEUE_TURNS && turnMs > (kind === 'management' ? MANAGEMENT_TURN_MS : DATA_PLANE_TURN_MS)
  );
}

/** Measures turns of the event loop: call it for each request, when it is handled. */
function createBacklog(): () => Backlog {
  let begun: number | undefined;
  let longTurns = 0;
  let longEndedAt = 0;
  let endedAt = 0;
  const end = (): void => {
    endedAt = performance.now();
    if (endedAt - begun! > LONG_TURN_MS) {
      longTurns += 1;
      longEndedAt = endedAt;
    }
    begun = undefined;
  };
  return () => {
    const time = performance.now();
    if (begun !== undefined) return { turnMs: time - begun, longTurns };
    if (time - endedAt > PAUSE_MS) {
      begun = time;
      if (begun - longEndedAt > MEMORY_MS) longTurns = 0;
      // After whatever else was ready in this turn.
      setImmediate(end);
    }
    return { turnMs: 0, longTurns };
  };
}

/**
 * Refuses what a process that is behind cannot answer in time, before anything is done for it: first management,
 * then what SDKs ask; never `/health`. Register it before whatever costs (decision 0111). What it gives back asks the
 * same for a request that does not come here.
 */
export function shedLoad(app: FastifyInstance): (kind: RequestKind) => boolean {
  const backlog = createBacklog();
  app.addHook('onRequest', (request, reply, done) => {
    const behind = backlog();
    // Nothing is refused that management is not.
    if (!isTooMuch(behind, 'management')) return done();
    const { config, url } = request.routeOptions;
    if (!isTooMuch(behind, config.access === 'apiKey' ? 'data plane' : 'management')) return done();
    if (url?.startsWith('/health') === true) return done();
    // A refusal must cost next to nothing, so none of what an error costs.
    reply
      .code(503)
      .header('retry-after', RETRY_AFTER_SECONDS)
      .header('content-type', 'application/json; charset=utf-8')
      .send(REFUSAL);
  });
  return (kind) => isTooMuch(backlog(), kind);
}
