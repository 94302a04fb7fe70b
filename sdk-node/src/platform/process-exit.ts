import { type Lifecycle, within } from '@flagsvc/sdk-core/client';
import { hostClock } from './host-clock.ts';

/** Longest time for which an exit waits for events to be sent. */
const EXIT_LIMIT_MS = 2000;

/** A client whose events are sent before the process exits. */
interface ExitingClient {
  flush(): Promise<void>;
  stats(): { readonly recorded: number; readonly pending: number };
  readonly flushesOnSigterm: boolean;
  /**
   * How many events had been recorded at the last attempt to send them. Attempts without new events would keep the
   * process alive forever.
   */
  attemptedAt: number;
}

// Shared by all clients, because `process` warns about more than ten listeners.
const clients = new Set<ExitingClient>();

/** Keeps the process alive until the events are sent, but no longer than the limit. */
const flushAll = (some: readonly ExitingClient[]) =>
  within({ clock: hostClock, hold: true }, EXIT_LIMIT_MS, Promise.all(some.map(({ flush }) => flush())));
const onBeforeExit = () => {
  const ready = [...clients].filter((client) => {
    const { recorded, pending } = client.stats();
    return pending > 0 && client.attemptedAt !== recorded;
  });
  for (const client of ready) client.attemptedAt = client.stats().recorded;
  if (ready.length) void flushAll(ready);
};
const onSigterm = async () => {
  await flushAll([...clients].filter((client) => client.flushesOnSigterm));
  process.off('SIGTERM', onSigterm);
  // Without other listeners the signal now has its usual effect.
  if (process.listenerCount('SIGTERM') === 0) process.kill(process.pid, 'SIGTERM');
};

/** Sends pending events before the process exits by itself and, if requested, on SIGTERM (decisions/0013). */
export const flushOnExit =
  (stats: ExitingClient['stats'], flushesOnSigterm: boolean): Lifecycle =>
  ({ flush }) => {
    const client: ExitingClient = { flush, stats, flushesOnSigterm, attemptedAt: -1 };
    if (clients.size === 0) process.on('beforeExit', onBeforeExit);
    clients.add(client);
    if (flushesOnSigterm && !process.listeners('SIGTERM').includes(onSigterm))
      process.on('SIGTERM', onSigterm);
    return () => {
      clients.delete(client);
      if (clients.size === 0) process.off('beforeExit', onBeforeExit);
      if (![...clients].some((other) => other.flushesOnSigterm)) process.off('SIGTERM', onSigterm);
    };
  };
