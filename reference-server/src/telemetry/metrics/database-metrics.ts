import { Counter, Gauge, Histogram, type Registry } from 'prom-client';
import type { DatabaseObserver, DatabaseState } from '../../storage/activity.ts';
import { createBatchedHistogram, type Observe } from './batched-histogram.ts';
import type { StateReaders } from './metrics-registry.ts';
import { readOrSkip } from './read-or-skip.ts';

const STATEMENT_SECONDS = [0.0005, 0.002, 0.01, 0.05, 0.25, 1, 5];
const KINDS = ['select', 'insert', 'update', 'delete', 'other'] as const;
/** PostgreSQL computes its size from its files, so scrapes share a reading for this long. */
const STATE_MAX_AGE_MS = 15_000;

/** Times of statements, transactions and waits. */
export function createDatabaseMetrics(registry: Registry): DatabaseObserver {
  const registers = [registry];
  const statements = createBatchedHistogram({
    registry,
    name: 'flagsvc_database_statement_duration_seconds',
    help: 'Time of a database statement, by kind.',
    buckets: STATEMENT_SECONDS,
  });
  const observe = Object.fromEntries(
    KINDS.map((kind) => [kind, statements.open({ kind })]),
  ) as unknown as Record<(typeof KINDS)[number], Observe>;
  const transactions = new Histogram({
    registers,
    name: 'flagsvc_database_transaction_duration_seconds',
    help: 'Time from the begin of a transaction to its end, by outcome.',
    labelNames: ['outcome'],
    buckets: STATEMENT_SECONDS,
  });
  const waits = createBatchedHistogram({
    registry,
    name: 'flagsvc_database_wait_duration_seconds',
    help: 'Time that callers waited for a connection.',
    buckets: STATEMENT_SECONDS,
  }).open({});
  const errors = new Counter({
    registers,
    name: 'flagsvc_database_errors_total',
    help: 'Statements that failed, including those that ran again.',
  });
  const retries = new Counter({
    registers,
    name: 'flagsvc_database_retries_total',
    help: 'Statements and transactions that ran again, because the database was busy or another writer was faster.',
  });
  return {
    statement({ kind, durationMs, error }) {
      observe[kind](durationMs / 1_000);
      if (error !== undefined) errors.inc();
    },
    transaction: (outcome, durationMs) => transactions.observe({ outcome }, durationMs / 1_000),
    waited: (durationMs) => waits(durationMs / 1_000),
    retried: () => retries.inc(),
  };
}

/** Connections and sizes. */
export function addDatabaseStateMetrics(registry: Registry, state: StateReaders): void {
  const registers = [registry];
  let reading: Promise<DatabaseState | undefined> = Promise.resolve(undefined);
  let readAt = Number.NEGATIVE_INFINITY;
  const read = (): Promise<DatabaseState | undefined> => {
    if (performance.now() - readAt < STATE_MAX_AGE_MS) return reading;
    readAt = performance.now();
    reading = readOrSkip(state.databaseState);
    return reading;
  };
  // Comes before the metrics that query the database, so that a scrape does not count its own queries.
  new Gauge({
    registers,
    name: 'flagsvc_database_waiting',
    help: 'Callers of this process that wait for a connection.',
    collect() {
      this.set(state.connectionUse().waiting);
    },
  });
  new Gauge({
    registers,
    name: 'flagsvc_database_connections',
    help: 'Connections to the database of this process, by state.',
    labelNames: ['state'],
    async collect() {
      const { active } = state.connectionUse();
      this.set({ state: 'active' }, active);
      const idle = (await read())?.idle;
      if (idle !== undefined) this.set({ state: 'idle' }, idle);
    },
  });
  new Gauge({
    registers,
    name: 'flagsvc_database_size_bytes',
    help: 'Size of the database.',
    async collect() {
      const size = (await read())?.sizeBytes;
      if (size === undefined) this.remove();
      else this.set(size);
    },
  });
  new Gauge({
    registers,
    name: 'flagsvc_database_wal_bytes',
    help: 'Size of the write-ahead log of a SQLite file.',
    async collect() {
      const size = (await read())?.walBytes;
      if (size === undefined) this.remove();
      else this.set(size);
    },
  });
}
