import type { EvaluationEvent } from '@flagsvc/sdk-core';
import type { BatchReceipt, RejectedEvent } from '../../../data-plane/ports.ts';

/** An environment and its organization, to which every row of the store belongs. */
export interface EventScope {
  readonly organizationId: string;
  readonly environmentId: string;
}

/** A batch of events that were checked, from one environment. */
export interface ReceivedBatch extends EventScope {
  readonly batchId: string;
  readonly events: readonly EvaluationEvent[];
  /** Events that were not accepted; they are only named in the receipt. */
  readonly rejected: readonly RejectedEvent[];
}

/** Evaluations of a flag key in one hour. */
export interface HourCount {
  readonly flag_key: string;
  /** Start of the hour, ISO 8601 UTC. */
  readonly hour: string;
  readonly count: number;
}

/** How often one outcome of a flag was reported in one UTC day or hour. */
export interface PeriodCount {
  /** `2026-11-20`, or `2026-11-20T09:00:00.000Z`. */
  readonly date: string;
  /** Null: no variation was served. */
  readonly variation_key: string | null;
  readonly reason: string;
  readonly count: number;
}

/** What was served of a flag since a given hour. */
export interface ServedCount {
  /** Number of different variations. */
  readonly variations: number;
  readonly evaluations: number;
}

/** The last hour in which an environment evaluated a flag key. */
export interface LastHour {
  readonly environment_id: string;
  readonly flag_key: string;
  readonly hour: string;
}

/** How often SDKs asked for a flag key in one environment. */
export interface KeyUse {
  readonly flag_key: string;
  readonly count: number;
  readonly first_hour: string;
  readonly last_hour: string;
}

/** What an erasure deleted. */
export interface ErasedRows {
  readonly exposures: number;
  readonly trackEvents: number;
}

/**
 * Where the events of SDKs are kept: counters by hour for 400 days, exposures and track events for 30 days, and receipts
 * of batches for 72 hours. `since` always names the start of an hour; counts of that hour are included.
 */
export interface EventStore {
  /**
   * Stores batches in one transaction and returns their receipts in order. A batch whose id is known gets its first
   * receipt with `duplicate: true` and is not counted again. An exposure or a track event is stored once for each id and
   * time.
   */
  write(batches: readonly ReceivedBatch[]): Promise<readonly BatchReceipt[]>;
  /** Counts of flag keys by hour, summed over environments. */
  countByHour(of: {
    readonly organizationId: string;
    readonly environmentIds: readonly string[];
    readonly flagKeys: readonly string[];
    readonly since: string;
  }): Promise<readonly HourCount[]>;
  /** Counts of one flag key by outcome and day or hour, in order; periods without reports are left out. */
  countByPeriod(
    of: EventScope & {
      readonly flagKey: string;
      readonly since: string;
      readonly interval: 'day' | 'hour';
    },
  ): Promise<readonly PeriodCount[]>;
  /** What environments served of each flag key. Evaluations that served no variation do not count. */
  countServed(of: {
    readonly organizationId: string;
    readonly environmentIds: readonly string[];
    readonly since: string;
  }): Promise<ReadonlyMap<string, ServedCount>>;
  /** The last hour of each flag key of all environments, for keys that were evaluated since. */
  listLastHours(since: string): Promise<readonly LastHour[]>;
  /** The flag keys that an environment asked for since, except `knownKeys`, most used first. */
  listOtherKeys(
    of: EventScope & {
      readonly since: string;
      readonly knownKeys: readonly string[];
      readonly limit: number;
    },
  ): Promise<readonly KeyUse[]>;
  /** Deletes the exposures and track events whose user key is one of `userKeys`, as it is stored. */
  erase(scope: EventScope, userKeys: readonly string[]): Promise<ErasedRows>;
  /** Deletes what is past its retention. */
  purge(now: number): Promise<void>;
}
