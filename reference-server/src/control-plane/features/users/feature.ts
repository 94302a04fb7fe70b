import type { Database } from '../../../storage/database.ts';
import type { Feature } from '../../feature.ts';
import { purgeExpiredRecords } from './purge-expired.ts';
import * as userStore from './user-store.ts';

export interface UserFeatureDeps {
  readonly db: Database;
  /** Milliseconds since 1970. */
  readonly now: () => number;
}

/**
 * Look-ups and inserts of users and memberships, and the nightly purge of sessions, invitations and password resets.
 */
export function createUserFeature({ db, now }: UserFeatureDeps): Feature<typeof userStore> {
  return {
    service: userStore,
    jobs: [{ name: 'expired sessions', schedule: 'nightly', run: () => purgeExpiredRecords(db, now()) }],
  };
}
