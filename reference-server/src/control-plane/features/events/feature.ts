import type { EventSink } from '../../../data-plane/ports.ts';
import { HOUR_MS, MINUTE_MS } from '../../../lib/durations.ts';
import type { Database } from '../../../storage/database.ts';
import type { Feature } from '../../feature.ts';
import { createEventIntake } from './event-intake.ts';
import { createEventSink } from './event-sink.ts';
import type { EventStore } from './event-store.ts';
import { createLastEvaluations } from './last-evaluations.ts';
import { createSdkRecorder } from './sdk-recorder.ts';
import { type SdkRouteDeps, sdkRoutes } from './sdk-routes.ts';
import { addSeenSdk } from './sdk-store.ts';
import { moveEvents } from './store/move-events.ts';
import type { StoredKeys } from './stored-keys.ts';
import { unknownFlagRoutes } from './unknown-flag-routes.ts';

export interface EventFeatureDeps extends SdkRouteDeps {
  readonly db: Database;
  readonly eventStore: EventStore;
  readonly eventKeys: StoredKeys;
  /** Milliseconds since 1970. */
  readonly now: () => number;
  /** Called when a sighting of an SDK could not be written. */
  readonly onError: (error: unknown) => void;
}

/** Stores the events that SDKs report, and which SDKs report them. Deletes events after their retention. */
export function createEventFeature(deps: EventFeatureDeps): Feature<EventSink> {
  const { db, eventStore: store, eventKeys: keys, now, onError } = deps;
  const intake = createEventIntake(store);
  const sdks = createSdkRecorder({ now, onError, write: (row) => addSeenSdk(db, row) });
  const lastEvaluations = createLastEvaluations({ db, store, now });
  return {
    service: createEventSink({ intake, keys, sdks }),
    routes: async (app) => {
      await app.register(sdkRoutes, { sdks: deps });
      await app.register(unknownFlagRoutes, { unknownFlags: deps });
    },
    jobs: [
      { name: 'event retention', schedule: { everyMs: HOUR_MS }, run: () => store.purge(now()) },
      // During an upgrade, nodes of the version before still write the tables that it used.
      { name: 'moving events', schedule: { everyMs: MINUTE_MS }, run: () => moveEvents({ db, keys }) },
      { name: 'last evaluations', schedule: { everyMs: MINUTE_MS }, run: lastEvaluations.record },
    ],
  };
}
