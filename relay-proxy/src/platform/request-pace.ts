import type { Clock } from '@flagsvc/sdk-core/client';

/** This many requests are sent at once; of more, one in this time. The server allows 100 of each kind a minute. */
const REQUESTS_AT_ONCE = 10;
const REQUEST_PAUSE_MS = 1_500;

/** Returns a function that counts one request and returns 0, or the time in milliseconds until there is room for it. */
export function createRequestPace(clock: Clock): () => number {
  let room = REQUESTS_AT_ONCE;
  let filledAt = clock.monotonic();
  return () => {
    const now = clock.monotonic();
    room = Math.min(REQUESTS_AT_ONCE, room + (now - filledAt) / REQUEST_PAUSE_MS);
    filledAt = now;
    // Whole milliseconds: after a smaller wait, rounding could leave a tiny rest forever.
    if (room < 1) return Math.ceil((1 - room) * REQUEST_PAUSE_MS) + 1;
    room -= 1;
    return 0;
  };
}
