/** Runs in a worker thread: executes the statements of one SQLite connection. */

import { parentPort, workerData } from 'node:worker_threads';
import Sqlite from 'better-sqlite3';

const BUSY_TIMEOUT_MS = 5_000;
const STATEMENTS_MAX = 500;

const port = parentPort!;
const { path, canWrite } = workerData as { readonly path: string; readonly canWrite: boolean };
const connection = new Sqlite(path, {
  readonly: !canWrite,
  fileMustExist: true,
  timeout: BUSY_TIMEOUT_MS,
});
// As on every connection that writes: better-sqlite3's default loses acknowledged writes in a power cut.
if (canWrite) connection.pragma('synchronous = FULL');

const statements = new Map<string, Sqlite.Statement<unknown[]>>();

function prepare(text: string): Sqlite.Statement<unknown[]> {
  const known = statements.get(text);
  if (known !== undefined) return known;
  if (statements.size >= STATEMENTS_MAX) statements.clear();
  const statement = connection.prepare<unknown[]>(text);
  statements.set(text, statement);
  return statement;
}

port.on('message', ({ text, parameters }: { text: string; parameters: readonly unknown[] }) => {
  try {
    const statement = prepare(text);
    if (statement.reader) port.postMessage({ rows: statement.all(parameters) });
    else port.postMessage({ rows: [], changes: statement.run(parameters).changes });
  } catch (error) {
    const { code, message } = error as Error & { readonly code?: string };
    port.postMessage({ fault: { code, message } });
  }
});
