import { closeClient, type WatchedClient } from './dead-connection-detector.ts';
import type { Listen } from './engine.ts';

const RETRY_DELAY_MS = 1_000;

/**
 * Receives the notifications that transactions send on commit (`tell_others` in the schema), on a connection of its own.
 * Reopens a lost connection, and then assumes that it missed a commit.
 */
export function createListener(newClient: () => WatchedClient): Listen {
  return (onCommit) => {
    let client: WatchedClient | undefined;
    let retry: NodeJS.Timeout | undefined;
    let isStopped = false;

    const connect = async (): Promise<void> => {
      const own = newClient();
      client = own;
      own.on('notification', onCommit);
      // A broken connection emits `error` and then `end`; a refused one only rejects `connect()`.
      own.on('error', () => {});
      own.once('end', reconnect);
      try {
        await own.connect();
        await own.query('listen flagsvc');
        onCommit();
      } catch {
        own.end().catch(() => {});
        reconnect();
      }
    };
    const reconnect = (): void => {
      if (isStopped) return;
      retry ??= setTimeout(() => {
        retry = undefined;
        void connect();
      }, RETRY_DELAY_MS).unref();
    };

    void connect();
    return {
      async stop() {
        isStopped = true;
        clearTimeout(retry);
        if (client !== undefined) await closeClient(client);
      },
    };
  };
}
