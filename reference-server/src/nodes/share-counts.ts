import { createHmac } from 'node:crypto';
import type { SharedLimits } from '../app/server-deps.ts';
import {
  createMemoryLoginFailures,
  type LoginFailures,
} from '../control-plane/features/auth/login-failures.ts';
import { createSharedRateStore, type SharedRateStore, withinPatience } from '../http/shared-rate-store.ts';
import type { SharedCounts } from './shared-counts.ts';

/** What the server counts together with the other nodes. */
export interface CountsOfAllNodes extends SharedLimits {
  readonly store: SharedRateStore;
  /** Stops the exchange and closes its connection. */
  close(): Promise<void>;
}

export interface ShareCountsOptions {
  readonly counts: SharedCounts;
  /** `FLAGSVC_API_SECRET_KEY`, which all nodes have in common. */
  readonly apiSecretKey: string;
  /** Wall clock, milliseconds since 1970. */
  readonly now?: () => number;
  readonly onChange: (isShared: boolean, error?: unknown) => void;
  /** How long a request waits for the counts; default 500. */
  readonly patienceMs?: number | undefined;
}

const SWEEP_INTERVAL_MS = 60_000;

/**
 * Shares rate limits and failed logins with the other nodes. While that fails, each node counts on its own. Keys are
 * hashed with the installation's secret, so that the counts contain no address and two installations do not mix.
 */
export function shareCounts(options: ShareCountsOptions): CountsOfAllNodes {
  const { counts, apiSecretKey, onChange, now = Date.now, patienceMs } = options;
  const hashKey = (text: string): string => hashForInstallation(apiSecretKey, text);
  const store = createSharedRateStore({ add: counts.add, hashKey, onChange, patienceMs });
  const sweeper = setInterval(() => {
    // An outage is reported by the store.
    counts.sweep?.().catch(() => {});
  }, SWEEP_INTERVAL_MS).unref();
  return {
    store,
    isShared: store.isShared,
    failures: shareFailures({
      shared: counts.failures,
      own: createMemoryLoginFailures(now),
      isShared: store.isShared,
      hashKey,
      patienceMs,
    }),
    async close() {
      clearInterval(sweeper);
      await store.stop();
      await counts.close();
    },
  };
}

/** A name that only nodes with the same secret have in common. */
export function hashForInstallation(apiSecretKey: string, text: string): string {
  return createHmac('sha256', apiSecretKey).update(`shared ${text}`).digest('base64url');
}

interface FailurePlaces {
  readonly shared: LoginFailures;
  readonly own: LoginFailures;
  readonly isShared: () => boolean;
  readonly hashKey: (text: string) => string;
  readonly patienceMs: number | undefined;
}

/** Counts in the shared place, or in this process while the shared place is away. */
function shareFailures({ shared, own, isShared, hashKey, patienceMs }: FailurePlaces): LoginFailures {
  const inEither = async <T>(use: (failures: LoginFailures) => Promise<T>): Promise<T> =>
    isShared() ? withinPatience(use(shared), patienceMs).catch(() => use(own)) : use(own);
  return {
    begin: (account) => inEither((failures) => failures.begin(hashKey(account))),
    undo: (account, begun) => inEither((failures) => failures.undo(hashKey(account), begun)),
    async clear(account) {
      await own.clear(hashKey(account));
      await inEither((failures) => failures.clear(hashKey(account)));
    },
  };
}
