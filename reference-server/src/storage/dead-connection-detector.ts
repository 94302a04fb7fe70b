import type { Client, PoolClient } from 'pg';

/** So long a statement may take before it is asked whether anybody works on it, and from then on again and again. */
const SILENCE_MS = 5_000;
/** And so long whoever asks waits for a connection, and for the answer. */
export const LOOK_LIMIT_MS = 2_000;

/** Runs a statement on a connection, which is cut when the server has not begun it, or has done with it. */
export type Watch = <T>(client: PoolClient, act: () => Promise<T>) => Promise<T>;

/**
 * Finds connections that are lost without a word, by a network or a machine that is gone: their statements would wait
 * for a quarter of an hour and more. A statement may take as long as it needs while the server works on it, and so there
 * is no limit; another connection asks whether it does.
 */
export function createWatch(newClient: () => Client): Watch {
  return async (client, act) => {
    let isOver = false;
    let received = receivedBy(client);
    const look = async (): Promise<void> => {
      const before = received;
      received = receivedBy(client);
      const isAlive = received !== before || (await isWorking(newClient(), backends.get(client)));
      if (isOver) return;
      if (isAlive) timer = setTimeout(look, SILENCE_MS);
      else cut(client);
    };
    let timer = setTimeout(look, SILENCE_MS);
    try {
      return await act();
    } finally {
      isOver = true;
      clearTimeout(timer);
    }
  };
}

/** By connection: what a pooler in between says of it would be its own. */
const backends = new WeakMap<object, number>();

/** For `onConnect` of a pool. */
export async function noteBackend(client: Pick<Client, 'query'>): Promise<void> {
  const { rows } = await client.query<{ pid: number }>(limited('select pg_backend_pid() as pid'));
  backends.set(client, rows[0]!.pid);
}

/** For what the watch does not see, and must not be waited for either. */
export const limited = (text: string, values: unknown[] = []) => ({
  text,
  values,
  query_timeout: LOOK_LIMIT_MS,
});

/** One that has been idle for a moment has sent its answer, or never got the statement. */
const WORKING = `select from pg_stat_activity
  where pid = $1 and not (state like 'idle%' and state_change < now() - interval '1 second')`;

async function isWorking(client: Client, backend: number | undefined): Promise<boolean> {
  client.on('error', () => {});
  try {
    await client.connect();
    return (await client.query(limited(WORKING, [backend]))).rowCount !== 0;
  } catch (error) {
    // A server that refuses another connection is there; one that cannot be reached is not.
    return 'severity' in (error as object);
  } finally {
    void leave(client);
  }
}

interface Wire {
  readonly connection: { readonly stream: { readonly bytesRead: number; destroy(): void } };
}
const wireOf = (client: object) => (client as Wire).connection.stream;

const receivedBy = (client: object): number => wireOf(client).bytesRead;

/** Ends what waits for it, which hears that the connection has terminated. */
function cut(client: object): void {
  wireOf(client).destroy();
}

/** Says goodbye, without waiting long for the answer. */
export async function leave(client: Client): Promise<void> {
  const timer = setTimeout(cut, 1_000, client);
  await client.end().catch(() => {});
  clearTimeout(timer);
}
