import type { RateStore, RateVerdict } from './rate-store.ts';
import { createRateWindows, PROCESS_CLOCK, type RateClock, type RateWindow } from './rate-windows.ts';

/** Requests of one key that this process has counted since it last sent its counts. */
export interface SentCount {
  /** Names the counter and the key. */
  readonly key: string;
  /** Negative when more requests were refunded than counted. */
  readonly count: number;
  /** How long the window of this process still lasts; that of the sum ends then if it begins with this count. */
  readonly endsInMs: number;
}

/** The requests that all processes have counted in the current window of a key. */
export interface SharedSum {
  readonly used: number;
  readonly endsInMs: number;
}

/**
 * Adds counts to the sums of all processes, each atomically. Resolves to the sums in the order of `counts`. The keys
 * of one call are distinct.
 */
export type AddCounts = (counts: readonly SentCount[]) => Promise<readonly SharedSum[]>;

/** A rate store whose counts several processes share. */
export interface SharedRateStore extends RateStore {
  /** Begins to send counts and to read sums every 250 ms. */
  start(): void;
  /** Sends the outstanding counts once, unless an earlier sending is still under way. */
  synchronize(): Promise<void>;
  /** Stops sending; resolves when a sending under way has ended. */
  stop(): Promise<void>;
  /** False while the counts of other processes are unknown, so that each process grants the full limit. */
  isShared(): boolean;
}

export interface SharedRateStoreOptions {
  readonly add: AddCounts;
  /** Makes a key that reveals neither addresses nor ids. */
  readonly hashKey: (text: string) => string;
  /** Called when counts can no longer be shared, and when they can be again. */
  readonly onChange: (isShared: boolean, error?: unknown) => void;
  readonly clock?: RateClock;
  /** A slower answer counts as an outage. A request that counts exactly waits at most this long; default 500. */
  readonly patienceMs?: number | undefined;
}

const SYNC_INTERVAL_MS = 250;
const PATIENCE_MS = 500;
/** A process without requests finds out at this interval whether counts can be shared. */
const PROBE_INTERVAL_MS = 5_000;
/** Windows of one counter that are sent at once. */
const BATCH_MAX = 500;
/** Windows of one counter that wait to be sent. Further ones wait for the next request of their key. */
const QUEUE_MAX = 10_000;

/** A counter's windows that have counts to send. */
interface Queue {
  readonly name: string;
  windows: RateWindow[];
}

/**
 * Counts in this process, and adds up the counts of all processes in the background (decisions/0035). A request never
 * waits, except in `takeExactly`, which waits for at most `patienceMs`. If the sums cannot be had, each process counts
 * on its own.
 */
export function createSharedRateStore(options: SharedRateStoreOptions): SharedRateStore {
  const { add, hashKey, onChange, clock = PROCESS_CLOCK, patienceMs = PATIENCE_MS } = options;
  const queues: Queue[] = [];
  let timer: NodeJS.Timeout | undefined;
  let sending: Promise<void> | undefined;
  let sendingSince = clock.monotonic();
  let isShared = true;

  const report = (next: boolean, error?: unknown): void => {
    if (isShared === next) return;
    isShared = next;
    onChange(next, error);
  };

  const send = async (batch: readonly (readonly [name: string, window: RateWindow])[]): Promise<void> => {
    const counts = batch.map(([name, window]) => takeUnsent(name, window));
    try {
      const sums = await add(counts);
      const time = clock.monotonic();
      for (const [index, [, window]] of batch.entries()) adopt(window, sums[index]!, time);
      report(time - sendingSince <= patienceMs, tooSlow(patienceMs));
    } catch (error) {
      // Counts whose sending failed are not sent again: they may have arrived, and a limit must not refuse too early.
      report(false, error);
    }
  };

  const takeUnsent = (name: string, window: RateWindow): SentCount => {
    const count = window.unsent;
    window.unsent = 0;
    const endsInMs = Math.max(1, Math.round(window.endsAt - clock.monotonic()));
    return { key: hashKey(`${name} ${window.key}`), count, endsInMs };
  };

  /** Takes the sum of all processes over. The window never ends later than before. */
  const adopt = (window: RateWindow, sum: SharedSum, time: number): void => {
    window.used = Math.max(sum.used + window.unsent, window.own);
    window.remaining = Math.max(0, window.limit - window.used);
    const endsAt = time + sum.endsInMs;
    if (endsAt >= window.endsAt) return;
    window.endsAt = endsAt;
    window.resetAt = Math.ceil((clock.now() + sum.endsInMs) / 1000);
  };

  const synchronize = async (): Promise<void> => {
    if (sending !== undefined) {
      if (clock.monotonic() - sendingSince > patienceMs) report(false, tooSlow(patienceMs));
      return;
    }
    const time = clock.monotonic();
    const batch = queues.flatMap((queue) =>
      takeBatch(queue, time).map((window): [string, RateWindow] => [queue.name, window]),
    );
    // Without counts, an empty batch finds out when an outage begins or ends.
    if (batch.length === 0 && isShared && time - sendingSince < PROBE_INTERVAL_MS) return;
    sendingSince = time;
    sending = send(batch).finally(() => {
      sending = undefined;
    });
    await sending;
  };

  /** Adds one counted request at once. Without an answer in time, the verdict is that of this process alone. */
  const addNow = async (name: string, window: RateWindow): Promise<RateVerdict> => {
    // A copy, because requests that arrive during the wait change the window.
    const verdict = { ...window };
    const sent = add([takeUnsent(name, window)]).then(([found]) => {
      const sum = found!;
      adopt(window, sum, clock.monotonic());
      verdict.allowed = sum.used <= verdict.limit;
      verdict.remaining = Math.max(0, verdict.limit - sum.used);
      verdict.resetAt = window.resetAt;
      verdict.retryAfter = Math.max(1, Math.ceil(sum.endsInMs / 1000));
    });
    // A late answer is still taken over.
    await withinPatience(sent, patienceMs).catch((error: unknown) => report(false, error));
    return { ...verdict };
  };

  return {
    openCounter(name, limit) {
      const queue: Queue = { name, windows: [] };
      queues.push(queue);
      const windows = createRateWindows(clock, (window) => {
        if (window.isQueued || !window.isOwn || queue.windows.length >= QUEUE_MAX) return;
        window.isQueued = true;
        queue.windows.push(window);
      });
      return {
        take: (key, own = limit) => windows.take(key, own),
        refund: windows.refund,
        async takeExactly(key) {
          const window = windows.take(key, limit);
          if (!window.allowed || !window.isOwn || !isShared) return { ...window };
          return addNow(name, window);
        },
      };
    },
    start() {
      timer ??= setInterval(() => void synchronize(), SYNC_INTERVAL_MS).unref();
    },
    synchronize,
    async stop() {
      clearInterval(timer);
      await sending;
    },
    isShared: () => isShared,
  };
}

/** Removes the next windows from the queue that still have counts to send. */
function takeBatch(queue: Queue, time: number): readonly RateWindow[] {
  const batch: RateWindow[] = [];
  let read = 0;
  for (; read < queue.windows.length && batch.length < BATCH_MAX; read++) {
    const window = queue.windows[read]!;
    window.isQueued = false;
    if (window.unsent !== 0 && time < window.endsAt) batch.push(window);
  }
  queue.windows = queue.windows.slice(read);
  return batch;
}

/** Rejects when `sent` rejects or takes longer than this time. */
export async function withinPatience<T>(sent: Promise<T>, patienceMs = PATIENCE_MS): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const timeUp = new Promise<never>((_resolve, reject) => {
    // After a pause of this process, timers run before the answers that have arrived in the meantime.
    const rejectAfterAnswers = () => setImmediate(() => reject(tooSlow(patienceMs)));
    timer = setTimeout(rejectAfterAnswers, patienceMs);
  });
  return Promise.race([sent, timeUp]).finally(() => clearTimeout(timer));
}

function tooSlow(patienceMs: number): Error {
  return new Error(`no answer within ${patienceMs} ms`);
}
