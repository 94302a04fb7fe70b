/** Runs in a worker thread: executes the statements of one SQLite connection that cannot write. */

import { parentPort, workerData } from 'node:worker_threads';
import Sqlite from 'better-sqlite3';

const BUSY_TIMEOUT_MS = 5_000;

const port = parentPort!;
const connection = new Sqlite((workerData as { readonly path: string }).path, {
  readonly: true,
  fileMustExist: true,
  timeout: BUSY_TIMEOUT_MS,
});

port.on('message', ({ text, parameters }: { text: string; parameters: readonly unknown[] }) => {
  try {
    const statement = connection.prepare(text);
    if (statement.reader) port.postMessage({ rows: statement.all(parameters) });
    else port.postMessage({ rows: statement.run(parameters) && [] });
  } catch (error) {
    const { code, message } = error as Error & { readonly code?: string };
    port.postMessage({ fault: { code, message } });
  }
});
