import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { Worker } from 'node:worker_threads';
import { CompiledQuery, type DatabaseConnection, type Driver } from 'kysely';
import { LONG_READ_MAX_MS } from './long-reads.ts';
import { DatabaseUnavailable } from './unavailable.ts';

/** The worker's program: the source, or what the build has made of it, which may lie a folder above. */
const PROGRAM = ['./long-read-worker.ts', './long-read-worker.js', '../long-read-worker.js']
  .map((path) => fileURLToPath(new URL(path, import.meta.url)))
  .find((path) => existsSync(path));

/** Whether reads can run in a worker thread. A bundle of a single file lacks the worker's program. */
export const canReadInWorker = PROGRAM !== undefined;

interface Reply {
  readonly rows?: readonly unknown[];
  readonly fault?: { readonly code?: string; readonly message: string };
}

/** A worker with a connection of its own. It starts with the first statement and is ended by a read that is too long. */
interface Reader {
  run(text: string, parameters: readonly unknown[]): Promise<readonly unknown[]>;
  close(): Promise<void>;
}

function createReader(path: string): Reader {
  let worker: Worker | undefined;
  const start = (): Worker => {
    worker = new Worker(PROGRAM!, { workerData: { path } });
    // A read that nobody waits for must not keep the process running.
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
        const onExit = (): void => fail(new Error('the worker for long reads has ended'));
        const timer = setTimeout(
          () => fail(new Error(`a read took longer than ${LONG_READ_MAX_MS / 1000} s`)),
          LONG_READ_MAX_MS,
        );
        const settle = (): void => {
          clearTimeout(timer);
          current.off('message', onMessage).off('error', fail).off('exit', onExit);
        };
        const onMessage = ({ rows, fault }: Reply): void => {
          settle();
          if (fault === undefined) resolve(rows!);
          else reject(Object.assign(new Error(fault.message), { code: fault.code }));
        };
        current.on('message', onMessage).on('error', fail).on('exit', onExit);
        current.postMessage({ text, parameters });
      });
    },
  };
}

/**
 * A driver whose statements run in a worker thread, one caller at a time on each of `size` connections. It cannot write.
 * `toFault` turns an engine's error into the one that callers get.
 */
export function createReaderDriver(
  path: string,
  { size, toFault }: { readonly size: number; readonly toFault: (error: unknown) => unknown },
): Driver {
  const readers = Array.from({ length: size }, () => createReader(path));
  const idle = readers.map(toConnection);
  const waiting: ((connection: DatabaseConnection) => void)[] = [];
  const run = async (connection: DatabaseConnection, text: string): Promise<void> => {
    await connection.executeQuery(CompiledQuery.raw(text));
  };

  function toConnection(reader: Reader): DatabaseConnection {
    return {
      async executeQuery<R>({ sql, parameters }: CompiledQuery) {
        try {
          return { rows: (await reader.run(sql, parameters)) as R[] };
        } catch (error) {
          throw toFault(error);
        }
      },
      // biome-ignore lint/correctness/useYield: the interface requires a generator
      async *streamQuery() {
        throw new Error('A long read cannot be streamed.');
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
    beginTransaction: (connection) => run(connection, 'begin deferred'),
    commitTransaction: (connection) => run(connection, 'commit'),
    rollbackTransaction: (connection) => run(connection, 'rollback').catch(() => {}),
    destroy: async () => {
      await Promise.all(readers.map((reader) => reader.close()));
    },
  };
}
