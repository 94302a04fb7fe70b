import { HOUR_MS } from '../../../lib/durations.ts';
import type { Database } from '../../../storage/database.ts';
import type { Feature } from '../../feature.ts';
import { createContextRecorder, type StoredContextRecorder } from './context-recorder.ts';
import { type RecordedContextRouteDeps, recordedContextRoutes } from './context-routes.ts';
import { purgeContexts } from './context-store.ts';

export interface RecordedContextFeatureDeps extends RecordedContextRouteDeps {
  readonly db: Database;
  /** At least 32 characters; the pseudonyms in recorded contexts are derived with it. */
  readonly apiSecretKey: string;
  /** Milliseconds since 1970. */
  readonly now: () => number;
  /** A random number from 0 to 1, which draws the sample. */
  readonly random: () => number;
  readonly onError: (error: unknown) => void;
}

/** Samples evaluated contexts where an environment records them (decisions/0032). */
export function createRecordedContextFeature(
  deps: RecordedContextFeatureDeps,
): Feature<StoredContextRecorder> {
  const { db, now } = deps;
  return {
    service: createContextRecorder(deps),
    routes: async (app) => void (await app.register(recordedContextRoutes, { contexts: deps })),
    jobs: [
      {
        name: 'retention of recorded contexts',
        schedule: { everyMs: HOUR_MS },
        run: () => purgeContexts(db, now()),
      },
    ],
  };
}
