import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { Worker } from 'node:worker_threads';
import { CompiledQuery, type DatabaseConnection, type Driver } from 'kysely';
import { LONG_READ_MAX_MS } from './long-reads.ts';
import { createFileGuard } from './sqlite-file.ts';
import { isRead, requireStorable } from './text-checks.ts';
import { DatabaseUnavailable } from './unavailable.ts';

/** The worker's program: the source, or what the build has made of it, which may lie a folder above. */
const PROGRAM = ['./sqlite-worker.ts', './sqlite-worker.js', '../sqlite-worker.js']
  .map((path) => fileURLToPath(new URL(path, import.meta.url)))
  .find((path) => existsSync(path));

/** Whether statements can run in a worker thread. A bundle of a single file lacks the worker's program. */
export const canUseWorkers = PROGRAM !== undefined;

interface Reply {
  readonly rows?: readonly unknown[];
  /** Rows that a statement has written. */
  readonly changes?: number;
  readonly fault?: { readonly code?: string; readonly message: string };
}

/**
 * A worker with a connection of its own. It starts with the first statement and is ended by a statement that takes too
 * long, which rolls back what it has not committed.
 */
interface Thread {
  run(text: string, parameters: readonly unknown[]): Promise<Reply>;
  close(): Promise<void>;
}

function createThread(workerData: { readonly path: string; readonly canWrite: boolean }): Thread {
  let worker: Worker | undefined;
  const start = (): Worker => {
    worker = new Worker(PROGRAM!, { workerData });
    // A statement that nobody waits for must not keep the process running.
    worker.unref();
    return worker;
  };
  const close = async (): Promise<void> => {
    const ended = worker;
    worker = undefined;
    await ended?.terminate();
  };
  return {
    close,
    run(text, parameters) {
      const current = worker ?? start();
      return new Promise((resolve, reject) => {
        const fail = (error: Error): void => {
          settle();
          void close();
          reject(new DatabaseUnavailable(error.message, { cause: error }));
        };
        const onExit = (): void => fail(new Error('the thread of the database has ended'));
        const timer = setTimeout(
          () => fail(new Error(`a statement took longer than ${LONG_READ_MAX_MS / 1000} s`)),
          LONG_READ_MAX_MS,
        );
        const settle = (): void => {
          clearTimeout(timer);
          current.off('message', onMessage).off('error', fail).off('exit', onExit);
        };
        const onMessage = ({ fault, ...reply }: Reply): void => {
          settle();
          if (fault === undefined) resolve(reply);
          else reject(Object.assign(new Error(fault.message), { code: fault.code }));
        };
        current.on('message', onMessage).on('error', fail).on('exit', onExit);
        current.postMessage({ text, parameters });
      });
    },
  };
}

export interface WorkerDriverOptions {
  /** Connections, each with a thread of its own that starts when it is first needed. */
  readonly size: number;
  /** Default false. */
  readonly canWrite?: boolean;
  /** Turns an engine's error into the one that callers get. */
  readonly toFault: (error: unknown) => unknown;
}

/** A driver whose statements run in worker threads, one caller at a time on each connection. */
export function createWorkerDriver(
  path: string,
  { size, canWrite = false, toFault }: WorkerDriverOptions,
): Driver {
  const requireSameFile = canWrite ? createFileGuard(path) : () => {};
  const threads = Array.from({ length: size }, () => createThread({ path, canWrite }));
  const idle = threads.map(toConnection);
  const waiting: ((connection: DatabaseConnection) => void)[] = [];
  const run = async (connection: DatabaseConnection, text: string): Promise<void> => {
    await connection.executeQuery(CompiledQuery.raw(text));
  };

  function toConnection(thread: Thread): DatabaseConnection {
    return {
      async executeQuery<R>({ sql, parameters }: CompiledQuery) {
        // A rollback is always possible.
        if (canWrite && !isRead(sql) && sql !== 'rollback') {
          requireStorable(parameters);
          requireSameFile();
        }
        try {
          const { rows, changes } = await thread.run(sql, parameters);
          return {
            rows: rows as R[],
            ...(changes !== undefined && { numAffectedRows: BigInt(changes) }),
          };
        } catch (error) {
          throw toFault(error);
        }
      },
      // biome-ignore lint/correctness/useYield: the interface requires a generator
      async *streamQuery() {
        throw new Error('A statement of a worker thread cannot be streamed.');
      },
    };
  }

  return {
    init: async () => {},
    acquireConnection: async () =>
      idle.shift() ?? new Promise<DatabaseConnection>((resolve) => waiting.push(resolve)),
    async releaseConnection(connection) {
      const next = waiting.shift();
      if (next === undefined) idle.unshift(connection);
      else next(connection);
    },
    beginTransaction: (connection, settings) =>
      run(
        connection,
        canWrite && settings?.accessMode !== 'read only' ? 'begin immediate' : 'begin deferred',
      ),
    commitTransaction: (connection) => run(connection, 'commit'),
    rollbackTransaction: (connection) => run(connection, 'rollback').catch(() => {}),
    destroy: async () => {
      await Promise.all(threads.map((thread) => thread.close()));
    },
  };
}
