import type { DiagnosticEvent } from '@flagsvc/sdk-core';
import { Counter, Gauge, Histogram, type Registry } from 'prom-client';
import type { BatchReceipt, KeyKind, StreamObserver, UsageMeter } from '../../data-plane/ports.ts';

const KINDS: readonly KeyKind[] = ['server', 'client', 'relay'];
/** Upper bounds of the lag of a notification, in seconds. */
const LAG_SECONDS = [0.005, 0.025, 0.1, 0.25, 1, 2.5, 10];

/** Open streams and what is sent on them. */
export function createStreamMetrics(
  registry: Registry,
  countRefusal: (limit: string) => void,
): StreamObserver {
  const registers = [registry];
  const open = new Gauge({
    registers,
    name: 'flagsvc_streams_open',
    help: 'Open streams by kind of API key.',
    labelNames: ['key_kind'],
  });
  const opened = new Counter({
    registers,
    name: 'flagsvc_streams_opened_total',
    help: 'Streams that were opened, by kind of API key.',
    labelNames: ['key_kind'],
  });
  const ended = new Counter({
    registers,
    name: 'flagsvc_streams_ended_total',
    help: 'Streams that ended, by reason; overload means that a client read too slowly and was dropped.',
    labelNames: ['reason'],
  });
  const sent = new Counter({
    registers,
    name: 'flagsvc_stream_notifications_total',
    help: 'Notifications of new versions that were written to streams.',
  });
  const lag = new Histogram({
    registers,
    name: 'flagsvc_stream_lag_seconds',
    help: 'Time from learning of a change to having written it to the streams of an environment.',
    buckets: LAG_SECONDS,
  });
  for (const key_kind of KINDS) {
    open.set({ key_kind }, 0);
    opened.inc({ key_kind }, 0);
  }
  for (const reason of ['client', 'overload', 'shutdown', 'key_revoked', 'rotated']) ended.inc({ reason }, 0);
  return {
    opened(key_kind) {
      open.inc({ key_kind });
      opened.inc({ key_kind });
    },
    ended(key_kind, reason) {
      open.dec({ key_kind });
      ended.inc({ reason });
    },
    refused: countRefusal,
    notified(streams, lagMs) {
      sent.inc(streams);
      lag.observe(lagMs / 1_000);
    },
  };
}

/** Evaluations by the server, and evaluations that SDKs report. */
export function createUsageMetrics(registry: Registry): UsageMeter {
  const requests: Record<KeyKind, number> = { server: 0, client: 0, relay: 0 };
  const flags: Record<KeyKind, number> = { server: 0, client: 0, relay: 0 };
  let reported = 0;
  /** Copies counts at a scrape, because counting each request in prom-client would cost more than the count is worth. */
  const copy = (to: Counter<'key_kind'>, counts: Record<KeyKind, number>): void => {
    to.reset();
    for (const key_kind of KINDS) to.inc({ key_kind }, counts[key_kind]);
  };
  new Counter({
    registers: [registry],
    name: 'flagsvc_evaluation_requests_total',
    help: 'Requests in which the server evaluated flags, by kind of API key.',
    labelNames: ['key_kind'],
    collect() {
      copy(this, requests);
    },
  });
  new Counter({
    registers: [registry],
    name: 'flagsvc_evaluations_total',
    help: 'Flags that the server evaluated, by kind of API key.',
    labelNames: ['key_kind'],
    collect() {
      copy(this, flags);
    },
  });
  new Counter({
    registers: [registry],
    name: 'flagsvc_reported_evaluations_total',
    help: 'Evaluations that SDKs made themselves and reported in stored batches of events.',
    collect() {
      this.reset();
      this.inc(reported);
    },
  });
  const countLost = createLossCounter(registry);
  return {
    recordEvaluations({ kind }, count) {
      requests[kind] += 1;
      flags[kind] += count;
    },
    recordEvents({ kind }, { events }) {
      for (const event of events) {
        if (event.type === 'summary') reported += sumOf(event.counters);
        // Every visitor can read a page's key, and must not be able to raise an alarm.
        else if (event.type === 'diagnostic' && kind !== 'client') countLost(event);
      }
    },
  };
}

/** The causes of a relay. Any other text is counted as `other`, so that clients cannot make up series. */
const LOSS_CAUSES: readonly string[] = ['spool_full', 'too_old', 'rejected', 'damaged'];

function createLossCounter(registry: Registry): (event: DiagnosticEvent) => void {
  const lost = new Counter({
    registers: [registry],
    name: 'flagsvc_events_lost_total',
    help: 'Events that relays and services report as dropped, by cause.',
    labelNames: ['cause'],
  });
  for (const cause of [...LOSS_CAUSES, 'other']) lost.inc({ cause }, 0);
  return ({ cause, dropped_events }) =>
    lost.inc({ cause: LOSS_CAUSES.find((known) => known === cause) ?? 'other' }, dropped_events);
}

function sumOf(counters: readonly { readonly count: number }[]): number {
  return counters.reduce((sum, { count }) => sum + count, 0);
}

/** The intake of events. */
export function createEventMetrics(registry: Registry): (receipt: BatchReceipt) => void {
  const batches = new Counter({
    registers: [registry],
    name: 'flagsvc_event_batches_total',
    help: 'Batches of events that were stored, and repeated batches that were stored before.',
    labelNames: ['outcome'],
  });
  const events = new Counter({
    registers: [registry],
    name: 'flagsvc_events_total',
    help: 'Events by outcome.',
    labelNames: ['outcome'],
  });
  for (const outcome of ['stored', 'repeated']) batches.inc({ outcome }, 0);
  for (const outcome of ['accepted', 'duplicate', 'rejected']) events.inc({ outcome }, 0);
  return ({ accepted, duplicates, rejected, duplicate }) => {
    batches.inc({ outcome: duplicate === true ? 'repeated' : 'stored' });
    if (duplicate === true) return;
    events.inc({ outcome: 'accepted' }, accepted);
    events.inc({ outcome: 'duplicate' }, duplicates);
    events.inc({ outcome: 'rejected' }, rejected.length);
  };
}
