import { type Lifecycle, within } from '@flagsvc/sdk-core/client';
import { hostClock } from './host-clock.ts';

/** Longest time that an exit waits for events. */
const EXIT_LIMIT_MS = 2000;

/** One client, as its process's end sees it. */
interface Leaver {
  flush(): Promise<void>;
  recorded(): number;
  pending(): number;
  readonly onSigterm: boolean;
  /** How much was recorded when it last tried; trying again without news would keep the process alive for ever. */
  tried: number;
}

// Shared, because each listener of `process` counts against its limit of ten.
const leavers = new Set<Leaver>();

/** Keeps the process alive until the events are sent, but no longer than the limit. */
const flushAll = (which: readonly Leaver[]) =>
  within(hostClock, EXIT_LIMIT_MS, Promise.all(which.map(({ flush }) => flush())), true);
const onBeforeExit = () => {
  const ready = [...leavers].filter((leaver) => leaver.pending() > 0 && leaver.tried !== leaver.recorded());
  for (const leaver of ready) leaver.tried = leaver.recorded();
  if (ready.length) void flushAll(ready);
};
const onSigterm = async () => {
  await flushAll([...leavers].filter((leaver) => leaver.onSigterm));
  process.off('SIGTERM', onSigterm);
  // Now as if nobody had listened, unless others do.
  if (process.listenerCount('SIGTERM') === 0) process.kill(process.pid, 'SIGTERM');
};

/** Sends what is pending before the process exits by itself, and if wished when it is asked to (decisions/0013). */
export const flushOnExit =
  (
    stats: () => { readonly recorded: number; readonly pending: number },
    flushesOnSigterm: boolean,
  ): Lifecycle =>
  ({ flush }) => {
    const leaver: Leaver = {
      flush,
      recorded: () => stats().recorded,
      pending: () => stats().pending,
      onSigterm: flushesOnSigterm,
      tried: -1,
    };
    if (leavers.size === 0) process.on('beforeExit', onBeforeExit);
    leavers.add(leaver);
    if (flushesOnSigterm && !process.listeners('SIGTERM').includes(onSigterm))
      process.on('SIGTERM', onSigterm);
    return () => {
      leavers.delete(leaver);
      if (leavers.size === 0) process.off('beforeExit', onBeforeExit);
      if (![...leavers].some((other) => other.onSigterm)) process.off('SIGTERM', onSigterm);
    };
  };
