import { Socket } from 'node:net';
import pg from 'pg';

/** How long a statement runs before the detector checks on it, and the time between two checks. */
const CHECK_INTERVAL_MS = 5_000;
/** How long a check waits for its connection, and then again for the answer. */
export const CHECK_TIMEOUT_MS = 2_000;
/** After waiting this long for the server to close the connection, `closeClient` cuts it. */
const CLOSE_TIMEOUT_MS = 1_000;

/** A client on a socket that we create ourselves, so that we can count what it received and can cut it. */
export class WatchedClient extends pg.Client {
  readonly #socket: Socket;
  #backendPid: number | undefined;

  constructor(config: pg.ClientConfig = {}) {
    const socket = new Socket();
    super({ ...config, stream: () => socket });
    this.#socket = socket;
  }

  get bytesReceived(): number {
    return this.#socket.bytesRead;
  }

  get backendPid(): number | undefined {
    return this.#backendPid;
  }

  /** Asks PostgreSQL which process serves this connection; the number that the driver knows may come from a pooler. */
  async readBackendPid(): Promise<void> {
    const { rows } = await this.query<{ pid: number }>(withTimeout('select pg_backend_pid() as pid'));
    this.#backendPid = rows[0]!.pid;
  }

  /** Drops the connection; pending statements reject with "Connection terminated". */
  cut(): void {
    this.#socket.destroy();
  }
}

/** Runs a statement. Cuts the connection when the server is not working on the statement, so that `act` rejects. */
export type WatchStatement = <T>(client: WatchedClient, act: () => Promise<T>) => Promise<T>;

/**
 * Detects connections that a failing network or machine has dropped silently; their statements would hang for a quarter
 * of an hour or longer. Statements have no time limit: one may run as long as the server works on it, and a second
 * connection checks whether the server still does.
 */
export function createDeadConnectionDetector(newClient: () => WatchedClient): WatchStatement {
  return async (client, act) => {
    let isOver = false;
    let received = client.bytesReceived;
    const check = async (): Promise<void> => {
      const before = received;
      received = client.bytesReceived;
      const isAlive = received !== before || (await isWorking(newClient(), client.backendPid));
      if (isOver) return;
      if (isAlive) timer = setTimeout(check, CHECK_INTERVAL_MS);
      else client.cut();
    };
    let timer = setTimeout(check, CHECK_INTERVAL_MS);
    try {
      return await act();
    } finally {
      isOver = true;
      clearTimeout(timer);
    }
  };
}

/** A query with a time limit, for statements that no detector watches. */
export const withTimeout = (text: string, values: unknown[] = []) => ({
  text,
  values,
  query_timeout: CHECK_TIMEOUT_MS,
});

/** A backend that has been idle for over a second has either sent its answer or never received the statement. */
const IS_WORKING = `select from pg_stat_activity
  where pid = $1 and not (state like 'idle%' and state_change < now() - interval '1 second')`;

async function isWorking(client: WatchedClient, backendPid: number | undefined): Promise<boolean> {
  client.on('error', () => {});
  try {
    await client.connect();
    return (await client.query(withTimeout(IS_WORKING, [backendPid]))).rowCount !== 0;
  } catch (error) {
    // `severity` means that a server answered, if only to refuse another connection; no answer means that it is gone.
    return 'severity' in (error as object);
  } finally {
    void closeClient(client);
  }
}

/** Ends the connection; cuts it when the server does not confirm within a second. */
export async function closeClient(client: WatchedClient): Promise<void> {
  const timer = setTimeout(() => client.cut(), CLOSE_TIMEOUT_MS);
  await client.end().catch(() => {});
  clearTimeout(timer);
}
