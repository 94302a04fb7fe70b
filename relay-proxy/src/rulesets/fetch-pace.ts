import type { Clock } from '@flagsvc/sdk-core/client';

/** This many changes are fetched at once; of more, one in this time. The server allows 100 fetches a minute. */
const FETCHES_AT_ONCE = 10;
const FETCH_PAUSE_MS = 1_500;

/** Returns a function that counts one fetch and returns 0, or the time in milliseconds until there is room for it. */
export function createFetchPace(clock: Clock): () => number {
  let room = FETCHES_AT_ONCE;
  let filledAt = clock.monotonic();
  return () => {
    const now = clock.monotonic();
    room = Math.min(FETCHES_AT_ONCE, room + (now - filledAt) / FETCH_PAUSE_MS);
    filledAt = now;
    if (room < 1) return (1 - room) * FETCH_PAUSE_MS;
    room -= 1;
    return 0;
  };
}
