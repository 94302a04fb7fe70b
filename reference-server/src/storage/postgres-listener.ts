import type { Client } from 'pg';
import { leave } from './dead-connection-detector.ts';
import type { Listen } from './engine.ts';

const RETRY_DELAY_MS = 1_000;

/**
 * Hears what transactions tell when they commit (`tell_others` of the schema), on a connection of its own. One that is
 * lost is opened again, and what was told meanwhile counts as heard.
 */
export function createListener(newClient: () => Client): Listen {
  return (hear) => {
    let client: Client | undefined;
    let retry: NodeJS.Timeout | undefined;
    let isStopped = false;

    const connect = async (): Promise<void> => {
      const own = newClient();
      client = own;
      own.on('notification', hear);
      // A connection that breaks says so, and ends; one that is refused only rejects.
      own.on('error', () => {});
      own.once('end', again);
      try {
        await own.connect();
        await own.query('listen flagsvc');
        hear();
      } catch {
        own.end().catch(() => {});
        again();
      }
    };
    const again = (): void => {
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
        if (client !== undefined) await leave(client);
      },
    };
  };
}
