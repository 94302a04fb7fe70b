import { countPending } from '../control-plane/features/webhooks/delivery/message-store.ts';
import type { EventSink, UsageMeter } from '../data-plane/ports.ts';
import { countRefusals } from '../http/count-refusals.ts';
import type { Outbound } from '../outbound/outbound.ts';
import type { Publisher } from '../publishing/publish.ts';
import { activityOf } from '../storage/activity.ts';
import type { MetricsRegistry } from '../telemetry/metrics/metrics-registry.ts';
import type { ServerSettings } from './server-deps.ts';

/** The settings, whose limiter, webhooks, meter and database also report to `metrics`. */
export function observeSettings(
  settings: ServerSettings,
  metrics: MetricsRegistry | undefined,
): ServerSettings {
  const { db, tracing } = settings;
  const activity = activityOf(db);
  if (tracing !== undefined) activity.observe(tracing.database);
  const traced = tracing?.traceOutbound(settings.outbound) ?? settings.outbound;
  if (metrics === undefined) return { ...settings, outbound: traced };
  activity.observe(metrics.database);
  return {
    ...settings,
    limiter: countRefusals(settings.limiter, metrics.countRefusal),
    outbound: countDeliveries(traced, metrics),
    meter: joinMeters(metrics.meter, settings.meter),
  };
}

/** Adds what a scrape reads from the server. */
export function readServerState(
  metrics: MetricsRegistry,
  of: {
    readonly settings: Pick<ServerSettings, 'db' | 'now' | 'sharedLimits'>;
    readonly publisher: Publisher;
    readonly isLeading: () => boolean;
  },
): void {
  const { settings, publisher, isLeading } = of;
  const { db, now } = settings;
  const activity = activityOf(db);
  metrics.readState({
    now,
    isLeading,
    areLimitsShared: settings.sharedLimits?.isShared,
    isPublishing: () => !publisher.isFailing(),
    served: publisher.served,
    connectionUse: () => activity.use,
    databaseState: () => activity.readState(),
    pendingMessages: () => countPending(db),
  });
}

/** The sink, which also counts the outcome of each batch. */
export function countReceipts(sink: EventSink, metrics: MetricsRegistry | undefined): EventSink {
  if (metrics === undefined) return sink;
  return {
    async accept(grant, batch, rejected) {
      const receipt = await sink.accept(grant, batch, rejected);
      metrics.countReceipt(receipt);
      return receipt;
    },
  };
}

function countDeliveries(outbound: Outbound, metrics: MetricsRegistry): Outbound {
  return {
    ...outbound,
    async send(request) {
      const startedAt = performance.now();
      const reply = await outbound.send(request);
      metrics.countDelivery(reply, performance.now() - startedAt);
      return reply;
    },
  };
}

function joinMeters(first: UsageMeter, second: UsageMeter | undefined): UsageMeter {
  if (second === undefined) return first;
  return {
    recordEvaluations(grant, flags) {
      first.recordEvaluations(grant, flags);
      second.recordEvaluations(grant, flags);
    },
    recordEvents(grant, batch) {
      first.recordEvents(grant, batch);
      second.recordEvents(grant, batch);
    },
  };
}
