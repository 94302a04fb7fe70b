import { join } from 'node:path';
import {
  ApiError,
  type BatchReceipt,
  type EventSink,
  type RejectedEvent,
} from '@flagsvc/reference-server/data-plane';
import type { EventBatch } from '@flagsvc/sdk-core';
import { type Clock, within } from '@flagsvc/sdk-core/client';
import type { Upstream } from '../upstream/upstream.ts';
import { createEventCounts, type DropCause, type EventCounts } from './event-counts.ts';
import { createEventForwarder, type EventForwarder } from './event-forwarder.ts';
import { createLossReport, type LossReport } from './loss-report.ts';
import { createRecentBatches } from './recent-batches.ts';
import type { SpooledBatch } from './segment.ts';
import { splitBatch } from './split-batch.ts';
import { createSpool, type Spool } from './spool.ts';

/** Takes events of clients, keeps them on disk, and forwards them. */
export interface EventRelay extends EventSink {
  readonly counts: Readonly<EventCounts>;
  /** Bytes that wait on disk. */
  bytes(): number;
  /** Begins to forward the events of an environment, including those that an earlier process left. */
  follow(environmentId: string, upstream: Pick<Upstream, 'sendEvents'>): Promise<void>;
  close(): Promise<void>;
}

export interface EventRelayOptions {
  readonly folderOf: (environmentId: string) => string;
  readonly maxBytes: number;
  readonly clock: Clock;
  readonly random: () => number;
  /** The version of the relay, which is part of its reports. */
  readonly version: string;
  readonly log: {
    warn(details: object, message: string): void;
    error(details: object, message: string): void;
  };
}

/** Whose events: anybody can read the key of a page, and send events with it. */
type Origin = 'servers' | 'pages';

/** What waits of one environment. */
interface Lane {
  readonly origin: Origin;
  readonly spool: Spool;
  readonly forwarder: EventForwarder;
  readonly report: LossReport;
}

const ORIGINS: readonly Origin[] = ['servers', 'pages'];
/** Events of pages get this share of the disk space and of the server's limit, so that they displace none of back ends. */
const PAGES_SHARE = 1 / 2;
/** If the disk stores a batch later, the server recognizes the client's repetition. */
const APPEND_LIMIT_MS = 5_000;
/** The log repeats a warning at most this often. */
const WARN_MS = 3_600_000;

export function createEventRelay(options: EventRelayOptions): EventRelay {
  const { folderOf, maxBytes, clock, random, version, log } = options;
  const lanes = new Map<string, Promise<Readonly<Record<Origin, Lane>>>>();
  const open: Lane[] = [];
  const counts = createEventCounts();
  const recent = createRecentBatches();

  const bytes = (of: readonly Lane[] = open): number => of.reduce((sum, { spool }) => sum + spool.bytes(), 0);
  const onFault = (err: unknown): void => log.error({ err }, 'events could not be read or written');

  /** Counts dropped events and reports them. A dropped report is written again, except one that the server refuses. */
  const drop = (report: LossReport, cause: DropCause, batches: readonly SpooledBatch[]): void => {
    const events = batches.reduce((sum, batch) => sum + batch.events, 0);
    for (const { losses } of batches) {
      if (losses !== undefined && cause !== 'rejected') report.restore(losses);
    }
    if (events > 0) lose(report, cause, events);
  };
  const lose = (report: LossReport, cause: DropCause, events: number): void => {
    counts.dropped[cause] += events;
    report.add(cause, events);
    log.warn({ cause, events }, 'events were dropped');
  };

  let warnedAt = Number.NEGATIVE_INFINITY;
  const warnOfLimit = (environment_id: string): void => {
    if (clock.monotonic() - warnedAt < WARN_MS) return;
    warnedAt = clock.monotonic();
    log.warn(
      { environment_id },
      'the server limits the events of this relay, so they wait; raise the limit "events" of its key',
    );
  };

  const openLane = async (
    origin: Origin,
    environmentId: string,
    upstream: Pick<Upstream, 'sendEvents'>,
  ): Promise<Lane> => {
    const folder = folderOf(environmentId);
    const spool = createSpool({
      folder: origin === 'pages' ? join(folder, origin) : folder,
      clock,
      onFault,
    });
    await spool.open();
    const report = createLossReport({ append: spool.append, version, clock, onFault });
    const forwarder = createEventForwarder({
      spool,
      upstream,
      clock,
      random,
      limitShare: origin === 'pages' ? PAGES_SHARE : 1,
      onFault,
      onDropped: (cause, batches) => drop(report, cause, batches),
      onDamaged: (records) => lose(report, 'damaged', records),
      onSetAside: (status) =>
        log.warn(
          { environment_id: environmentId, status },
          'the server failed on a batch of events several times; the relay sends the others first',
        ),
      onLimited: () => warnOfLimit(environmentId),
      onForwarded(events) {
        counts.forwarded += events;
      },
    });
    const lane = { origin, spool, forwarder, report };
    open.push(lane);
    forwarder.start();
    return lane;
  };

  const openBoth = async (environmentId: string, upstream: Pick<Upstream, 'sendEvents'>) => {
    const [servers, pages] = await Promise.all(
      ORIGINS.map((origin) => openLane(origin, environmentId, upstream)),
    );
    return { servers: servers!, pages: pages! };
  };

  /** Drops the oldest segment of the lane that uses the most space, first among those of pages, until there is room. */
  const makeRoom = async (): Promise<void> => {
    while (bytes() > maxBytes) {
      const ofPages = open.filter(({ origin }) => origin === 'pages');
      const candidates = bytes(ofPages) > maxBytes * PAGES_SHARE ? ofPages : open;
      const [fullest] = [...candidates].sort((a, b) => b.spool.bytes() - a.spool.bytes());
      if (fullest === undefined || !(await fullest.forwarder.dropOldest())) return;
    }
  };

  const append = async (spool: Spool, batches: readonly SpooledBatch[]): Promise<void> => {
    let fault: unknown = new Error('The disk does not answer.');
    const appended = spool.append(batches).then(
      () => {
        fault = undefined;
      },
      (error: unknown) => {
        fault = error;
      },
    );
    await within({ clock }, APPEND_LIMIT_MS, appended);
    if (fault === undefined) return;
    onFault(fault);
    throw new ApiError('SERVICE_UNAVAILABLE', {
      message: 'The relay cannot store events at the moment; send the batch again.',
    });
  };

  const store = async (
    { spool, forwarder }: Lane,
    batch: EventBatch,
    rejected: readonly RejectedEvent[],
  ): Promise<BatchReceipt> => {
    const { events, batch_id } = batch;
    if (events.length > 0) {
      const parts = splitBatch(batch).map((part) => ({ at: clock.now(), ...part }));
      await append(spool, parts);
      for (const _ of parts) forwarder.added();
      counts.received += events.length;
      if (bytes() > maxBytes) await makeRoom();
    }
    return { batch_id, accepted: events.length, duplicates: 0, rejected };
  };

  return {
    counts,
    bytes: () => bytes(),
    async accept(grant, batch, rejected) {
      const own = await lanes.get(grant.environmentId);
      if (own === undefined) throw new ApiError('SERVICE_UNAVAILABLE');
      const isPage = grant.kind === 'client';
      return recent.once(`${grant.environmentId} ${batch.batch_id}`, () =>
        isPage ? store(own.pages, withoutDiagnostics(batch), rejected) : store(own.servers, batch, rejected),
      );
    },
    async follow(environmentId, upstream) {
      const own = lanes.get(environmentId) ?? openBoth(environmentId, upstream);
      lanes.set(environmentId, own);
      await own;
    },
    async close() {
      for (const { forwarder } of open) forwarder.stop();
      await Promise.all(open.map(({ report }) => report.close()));
      await Promise.all(open.map(({ spool }) => spool.close()));
    },
  };
}

/** The relay forwards with its own key, so a page's report of losses would look like one of the relay. */
function withoutDiagnostics(batch: EventBatch): EventBatch {
  return { ...batch, events: batch.events.filter(({ type }) => type !== 'diagnostic') };
}
