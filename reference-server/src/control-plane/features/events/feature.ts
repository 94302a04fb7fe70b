import type { EventSink } from '../../../data-plane/ports.ts';
import { HOUR_MS } from '../../../lib/durations.ts';
import type { Database } from '../../../storage/database.ts';
import type { Feature } from '../../feature.ts';
import { createEventSink } from './event-sink.ts';
import { purgeEvents } from './purge-events.ts';

export interface EventFeatureDeps {
  readonly db: Database;
  /** Milliseconds since 1970. */
  readonly now: () => number;
}

/** Stores the events that SDKs report, and deletes them after their retention. */
export function createEventFeature({ db, now }: EventFeatureDeps): Feature<EventSink> {
  return {
    service: createEventSink({ db, now }),
    jobs: [{ name: 'event retention', schedule: { everyMs: HOUR_MS }, run: () => purgeEvents(db, now()) }],
  };
}
