import { randomUUID } from 'node:crypto';
import type { Clock } from '@flagsvc/sdk-core/client';
import type { DropCause, Losses } from './event-counts.ts';
import type { SpooledBatch } from './segment.ts';

/** Tells the server how many events were dropped and why. Reports wait on disk among the batches of events. */
export interface LossReport {
  add(cause: DropCause, events: number): void;
  /** Adds the losses of a report that was itself dropped. */
  restore(losses: Losses): void;
  /** Writes what was not written yet. */
  close(): Promise<void>;
}

export interface LossReportOptions {
  readonly append: (batches: readonly SpooledBatch[]) => Promise<void>;
  /** The version of the relay. */
  readonly version: string;
  readonly clock: Clock;
  /** Called when the disk fails; the losses stay in memory and are written later. */
  readonly onFault: (error: unknown) => void;
}

/** Losses of this time make one report. */
const COLLECT_MS = 1_000;
/** The most events that one diagnostic may report. */
const COUNT_MAX = 1_000_000_000;

export function createLossReport({ append, version, clock, onFault }: LossReportOptions): LossReport {
  let losses: Losses = {};
  let timer: unknown;

  const write = async (): Promise<void> => {
    timer = undefined;
    const written = losses;
    if (Object.keys(written).length === 0) return;
    losses = {};
    const events = Object.entries(written).map(([cause, count]) => ({
      type: 'diagnostic',
      dropped_events: Math.min(count, COUNT_MAX),
      cause,
    }));
    const batch = { batch_id: randomUUID(), sdk: { name: 'flagsvc-relay', version }, events };
    await append([{ at: clock.now(), events: 0, json: JSON.stringify(batch), losses: written }]).catch(
      (error: unknown) => {
        onFault(error);
        restore(written);
      },
    );
  };

  const add = (cause: DropCause, events: number): void => {
    losses = { ...losses, [cause]: (losses[cause] ?? 0) + events };
    timer ??= clock.setTimer(() => void write(), COLLECT_MS);
  };
  const restore = (before: Losses): void => {
    for (const [cause, events] of Object.entries(before)) add(cause as DropCause, events);
  };

  return {
    add,
    restore,
    async close() {
      clock.clearTimer(timer);
      await write();
      clock.clearTimer(timer);
    },
  };
}
