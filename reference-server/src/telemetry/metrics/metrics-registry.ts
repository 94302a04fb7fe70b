import type { ObserveJob } from '../../control-plane/background/runner.ts';
import type { BatchReceipt, StreamObserver, UsageMeter } from '../../data-plane/ports.ts';
import type { OpenOperation } from '../../http/answer-metrics.ts';
import type { OutboundReply } from '../../outbound/outbound.ts';
import type { ServedRuleset } from '../../publishing/published-environment.ts';
import type { ConnectionUse, DatabaseObserver, DatabaseState } from '../../storage/activity.ts';

declare module 'fastify' {
  interface FastifyInstance {
    /** The server's metrics; only when `buildServer` gets `createMetrics`. */
    readonly metrics?: MetricsRegistry;
  }
}

/** Identifies the server in its metrics. */
export interface MetricsFacts {
  readonly version: string;
  readonly mode: string;
}

/** Messages of webhooks that are not delivered yet. */
export interface PendingMessages {
  readonly count: number;
  /** When the oldest of them was created, in milliseconds since 1970; undefined if there is none. */
  readonly oldestAt: number | undefined;
}

/** What a scrape reads from the server. */
export interface StateReaders {
  /** Wall clock, milliseconds since 1970. */
  now(): number;
  /** False while the latest change of some environment could not be published. */
  isPublishing(): boolean;
  served(): readonly ServedRuleset[];
  /** Whether this process is the one that runs background jobs. */
  isLeading(): boolean;
  /** Whether rate limits hold across nodes at the moment. Absent: this process does not share them. */
  readonly areLimitsShared?: (() => boolean) | undefined;
  connectionUse(): ConnectionUse;
  databaseState(): Promise<DatabaseState>;
  pendingMessages(): Promise<PendingMessages>;
}

/** One metric with its values, in the form of prom-client. */
export interface MetricFamily {
  readonly name: string;
  readonly help: string;
  readonly type: 'counter' | 'gauge' | 'histogram' | 'summary';
  readonly values: readonly MetricValue[];
}

/** A value of a metric. `metricName` has a suffix for the parts of a histogram. */
export interface MetricValue {
  readonly value: number;
  readonly labels: Readonly<Record<string, string | number>>;
  readonly metricName?: string;
}

/**
 * Records what the server does, and renders it for a scrape. All methods that record return quickly and never throw.
 * Each label has a bounded number of values, whatever clients send.
 */
export interface MetricsRegistry {
  readonly openOperation: OpenOperation;
  readonly streams: StreamObserver;
  readonly meter: UsageMeter;
  /** Counts the outcome of a batch of events. */
  countReceipt(receipt: BatchReceipt): void;
  /** Counts a request that the limit of this name refused. */
  countRefusal(limit: string): void;
  /** Counts one call of a webhook. */
  countDelivery(reply: OutboundReply, durationMs: number): void;
  /** Counts one attempt to send an email: `delayed` means that it is tried again, `lost` that it is not. */
  readonly countMail: (outcome: 'sent' | 'delayed' | 'lost') => void;
  /** Records the time from learning of a change to serving it. */
  readonly countPublication: (durationMs: number) => void;
  readonly database: DatabaseObserver;
  readonly observeJob: ObserveJob;
  /** Adds the metrics that a scrape reads from the server. Call it once. */
  readState(state: StateReaders): void;
  /** Media type of the rendered text. */
  readonly contentType: string;
  render(): Promise<string>;
  /** The same values as objects. */
  families(): Promise<readonly MetricFamily[]>;
}
