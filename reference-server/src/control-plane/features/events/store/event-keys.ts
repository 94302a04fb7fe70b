import type { EventScope, ReceivedBatch } from '../event-store.ts';

/** The values of a row, in the order of the columns of its insert statement. */
export type EventRow = readonly (string | number | null)[];

/** Organization, environment, time and id: what identifies an exposure or a track event. */
export type EventKey = readonly [string, string, string, string];

/** An exposure or a track event. */
export interface SingleEvent {
  readonly type: 'exposure' | 'track';
  readonly key: EventKey;
}

/** The exposures and track events of a batch. */
export function singleEventsOf(batch: ReceivedBatch): SingleEvent[] {
  return batch.events.flatMap((event) =>
    event.type === 'exposure' || event.type === 'track'
      ? [{ type: event.type, key: keyOf(batch, event) }]
      : [],
  );
}

export function keyOf(
  { organizationId, environmentId }: EventScope,
  event: { readonly timestamp: string; readonly id: string },
): EventKey {
  return [organizationId, environmentId, toTimestamp(event.timestamp), event.id];
}

/** Identifies a batch among those of all environments. */
export const nameOf = ({ organizationId, environmentId, batchId }: ReceivedBatch): string =>
  JSON.stringify([organizationId, environmentId, batchId]);

/** Normalizes a timestamp, so that timestamps can be compared as text. */
export function toTimestamp(iso: string): string {
  return new Date(iso).toISOString();
}

/** The start of the hour of a timestamp. */
export function hourOf(iso: string): string {
  return `${toTimestamp(iso).slice(0, 13)}:00:00.000Z`;
}
