import { type Clock, createRequestScheduler, type Reply } from '@flagsvc/sdk-core/client';
import type { Upstream } from '../upstream/upstream.ts';
import type { DropCause } from './event-counts.ts';
import type { Segment, SpooledBatch } from './segment.ts';
import type { Spool } from './spool.ts';

export interface EventForwarderOptions {
  readonly spool: Spool;
  readonly upstream: Pick<Upstream, 'sendEvents'>;
  readonly clock: Clock;
  readonly random: () => number;
  /** How much of the server's limit for the relay's key it may use; 1: all. */
  readonly limitShare: number;
  /** Called when the server has stored a batch. */
  readonly onForwarded: (events: number) => void;
  readonly onDropped: (cause: DropCause, batches: readonly SpooledBatch[]) => void;
  /** Called with the number of records on disk that cannot be read. */
  readonly onDamaged: (records: number) => void;
  /** Called when the server refuses a batch because the relay's key has sent too many. */
  readonly onLimited: () => void;
  /** Called when the server failed on a batch so often that the others are sent first. */
  readonly onSetAside: (status: number) => void;
  readonly onFault: (error: unknown) => void;
}

/** Sends the batches of a spool to the server, oldest first, one at a time. */
export interface EventForwarder {
  /** Call it for each batch that was added to the spool. */
  added(): void;
  /** Drops the oldest segment to make room, except the batch that is being sent. False when nothing waits. */
  dropOldest(): Promise<boolean>;
  start(): void;
  stop(): void;
}

/**
 * The server recognizes a repeated batch for 72 hours. An older one may have been stored when its answer was lost, so it
 * is dropped rather than counted twice.
 */
const OLDEST_MS = 72 * 3_600_000;
/** New batches are collected for this time. */
const COLLECT_MS = 1_000;
/** After an outage, batches go out at twice the rate at which they come in, and at least at this rate a second. */
const RATE_MIN = 10;
const RATE_FACTOR = 2;
const RATE_WINDOW_MS = 60_000;
const RETRY_BASE_MS = 1_000;
/** Replies to a batch that the server will never take. */
const REJECTIONS: readonly number[] = [400, 413, 415, 422];
const LIMITED = 429;

/**
 * After this many failures in a row, a batch goes to the end, so that a batch on which the server fails stops no other.
 * From then on, each failure sends it there.
 */
const FAILURES_MAX = 5;
/** While the server takes other batches, one that was set aside is tried again after this time. */
const SET_ASIDE_MS = 60_000;

const NOTHING: Reply = { status: 204 };

export function createEventForwarder(options: EventForwarderOptions): EventForwarder {
  const { spool, upstream, clock, random, onForwarded, onDropped, onFault } = options;
  let segment: Segment | undefined;
  let batches: readonly SpooledBatch[] = [];
  let next = 0;
  /** Failures in a row of the next batch, and the status of the last one. */
  let failures = 0;
  let failedWith = 0;
  /** The server's limit allows a batch in this time. */
  let allowedMs = 0;
  /** Whether the server takes batches other than those that were set aside. */
  let isTaking = true;
  let isPausing = false;
  /** Batches added in the present window, and the rate of the one before, in batches a second. */
  let arrivals = 0;
  let windowStartedAt = clock.monotonic();
  let rate = 0;

  const turnWindow = (): void => {
    const elapsedMs = clock.monotonic() - windowStartedAt;
    if (elapsedMs < RATE_WINDOW_MS) return;
    rate = (arrivals * 1_000) / elapsedMs;
    arrivals = 0;
    windowStartedAt = clock.monotonic();
  };

  const paceMs = (): number => {
    turnWindow();
    const elapsedMs = Math.max(1_000, clock.monotonic() - windowStartedAt);
    const normal = Math.max(rate, (arrivals * 1_000) / elapsedMs);
    return Math.max(allowedMs, 1_000 / Math.max(RATE_MIN, RATE_FACTOR * normal));
  };

  /** The next batch that is young enough; undefined when nothing waits. */
  const nextBatch = async (): Promise<SpooledBatch | undefined> => {
    for (;;) {
      const batch = batches[next];
      if (batch === undefined) {
        if (!(await openNextSegment())) return undefined;
      } else if (clock.now() - batch.at > OLDEST_MS) {
        onDropped('too_old', [batch]);
        next += 1;
      } else return batch;
    }
  };

  const readSegment = (from: Segment): ReturnType<Segment['read']> =>
    from.read().catch((error: unknown) => {
      // A segment that was dropped meanwhile, or that the disk no longer gives back, holds nothing to forward.
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT') onFault(error);
      return { batches: [], damaged: 0 };
    });

  const openNextSegment = async (): Promise<boolean> => {
    if (segment !== undefined) await spool.remove(segment);
    segment = await spool.oldest();
    next = 0;
    batches = [];
    if (segment === undefined) return false;
    const read = await readSegment(segment);
    batches = read.batches;
    if (read.damaged > 0) options.onDamaged(read.damaged);
    return true;
  };

  /** Moves the batch to the end of the spool. It keeps its time, so it is dropped after 72 hours like any other. */
  const setAside = async (): Promise<void> => {
    failures = 0;
    const batch = batches[next];
    if (batch === undefined) return;
    try {
      await spool.append([{ ...batch, isSetAside: true }]);
      next += 1;
      if (batch.isSetAside !== true) options.onSetAside(failedWith);
    } catch (error) {
      onFault(error);
    }
  };

  const sendOne = async (): Promise<Reply> => {
    isPausing = false;
    if (failures >= FAILURES_MAX) await setAside();
    const batch = await nextBatch();
    return batch === undefined ? NOTHING : upstream.sendEvents(batch.json);
  };

  const fail = ({ isSetAside = false }: SpooledBatch, status: number): number | undefined => {
    failures = isSetAside ? FAILURES_MAX : failures + 1;
    failedWith = status;
    if (!isSetAside) isTaking = false;
    if (!isTaking) return undefined;
    isPausing = true;
    return SET_ASIDE_MS;
  };

  const settle = (reply: Reply): number | undefined => {
    const { status } = reply;
    if (status === 204) return COLLECT_MS;
    const batch = batches[next]!;
    if (status === LIMITED) {
      options.onLimited();
      return undefined;
    }
    if (status === 202) onForwarded(batch.events);
    else if (isRejection(reply)) onDropped('rejected', [batch]);
    else return fail(batch, status);
    const limit = Number(reply.header?.('x-ratelimit-limit'));
    allowedMs = options.limitShare < 1 && limit > 0 ? 60_000 / (limit * options.limitShare) : 0;
    isTaking = true;
    failures = 0;
    next += 1;
    return paceMs();
  };

  const scheduler = createRequestScheduler({ clock, random, retryBaseMs: RETRY_BASE_MS }, sendOne, settle);
  return {
    added() {
      arrivals += 1;
      if (!isPausing) return;
      isPausing = false;
      scheduler.schedule(COLLECT_MS);
    },
    async dropOldest() {
      const oldest = await spool.oldest();
      if (oldest === undefined) return false;
      const read = await readSegment(oldest);
      const isBeingSent = oldest === segment;
      const dropped = isBeingSent ? batches.slice(next + 1) : read.batches;
      if (isBeingSent) batches = batches.slice(0, next + 1);
      await spool.remove(oldest);
      if (dropped.length > 0) onDropped('spool_full', dropped);
      return true;
    },
    start: () => scheduler.schedule(COLLECT_MS),
    stop: () => scheduler.stop(),
  };
}

/** A rejection is an error of the server itself: a proxy on the way may answer 400 or 413 too, for a while. */
function isRejection({ status, body }: Reply): boolean {
  const { error } = Object(body) as { readonly error?: unknown };
  return REJECTIONS.includes(status) && typeof Object(error).code === 'string';
}
