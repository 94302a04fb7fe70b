const DAY_MS = 24 * 60 * 60 * 1000;
const NIGHT_HOUR_UTC = 3;

/**
 * A job of the background that is asked often and runs once a night, from three o'clock UTC on. It waits for the
 * first night after it was made, so that a restart does not run it again.
 */
export function nightly(run: () => Promise<unknown>, now: () => number): () => Promise<void> {
  let due = nextNight(now());
  return async () => {
    if (now() < due) return;
    due = nextNight(now());
    await run();
  };
}

/** The first three o'clock after a time, both in milliseconds since 1970. */
export function nextNight(now: number): number {
  const midnight = now - (now % DAY_MS);
  const night = midnight + NIGHT_HOUR_UTC * 60 * 60 * 1000;
  return now < night ? night : night + DAY_MS;
}
