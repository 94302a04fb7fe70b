import type { EventSink } from '../../../data-plane/ports.ts';
import { HOUR_MS } from '../../../lib/durations.ts';
import type { Database } from '../../../storage/database.ts';
import type { Feature } from '../../feature.ts';
import { createEventSink } from './event-sink.ts';
import { purgeEvents } from './purge-events.ts';
import { createSdkRecorder } from './sdk-recorder.ts';
import { type SdkRouteDeps, sdkRoutes } from './sdk-routes.ts';
import { addSeenSdk } from './sdk-store.ts';

export interface EventFeatureDeps extends SdkRouteDeps {
  readonly db: Database;
  /** Milliseconds since 1970. */
  readonly now: () => number;
  /** Called when a sighting of an SDK could not be written. */
  readonly onError: (error: unknown) => void;
}

/** Stores the events that SDKs report, and which SDKs report them. Deletes events after their retention. */
export function createEventFeature(deps: EventFeatureDeps): Feature<EventSink> {
  const { db, now, onError } = deps;
  const events = createEventSink({ db, now });
  const sdks = createSdkRecorder({ now, onError, write: (row) => addSeenSdk(db, row) });
  return {
    service: {
      async accept(grant, batch, rejected) {
        const receipt = await events.accept(grant, batch, rejected);
        const { name, version } = (batch.sdk ?? {}) as { name?: string; version?: string };
        if (name) await sdks.record(grant, { name, version: version ?? '' });
        return receipt;
      },
    },
    routes: async (app) => void (await app.register(sdkRoutes, { sdks: deps })),
    jobs: [{ name: 'event retention', schedule: { everyMs: HOUR_MS }, run: () => purgeEvents(db, now()) }],
  };
}
