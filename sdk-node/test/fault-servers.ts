import dns from 'node:dns';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import type { Order } from './fault-server.ts';
import { FAULTS } from './faults.ts';

/** A server with a host name of its own, in which a test can cause faults. */
export interface FaultServer {
  readonly baseUrl: string;
  /** Serves this version of the ruleset, on all paths except those that stay broken. */
  serve(version: number, stillBroken?: readonly string[]): Promise<unknown>;
  /** Makes these paths faulty, optionally delays their answers, and ends open connections and streams. */
  break(paths: readonly string[], afterMs?: number): Promise<void>;
  /** The number of requests for the ruleset. */
  polls(): Promise<number>;
  close(): Promise<void>;
}

/** Starts servers in their own thread. */
export const startFaultServers = (): {
  open(fault: string): Promise<FaultServer>;
  close(): Promise<unknown>;
} => {
  const worker = new Worker(join(import.meta.dirname, 'fault-server.ts'), {
    execArgv: ['--conditions=@flagsvc/source'],
  });
  const waiting = new Map<number, (answer: number) => void>();
  let commands = 0;
  let servers = 0;
  worker.on('message', ({ command, answer }) => {
    waiting.get(command)!(answer);
    waiting.delete(command);
  });
  const send = (id: number, order: Order) =>
    new Promise<number>((resolve) => {
      waiting.set(++commands, resolve);
      worker.postMessage({ command: commands, id, order });
    });

  const hidden = new Set<string>();
  const { lookup } = dns;
  // `fetch` resolves host names here; names under .test are reserved for tests.
  dns.lookup = ((host: string, options: { all?: boolean }, callback: (...about: unknown[]) => void) => {
    if (!host.endsWith('.test')) return lookup(host, options, callback as never);
    const address = { address: '127.0.0.1', family: 4 };
    if (hidden.has(host)) callback(Object.assign(new Error(`getaddrinfo ENOTFOUND`), { code: 'ENOTFOUND' }));
    else if (options.all) callback(null, [address]);
    else callback(null, address.address, address.family);
  }) as never;

  return {
    async open(fault) {
      const id = ++servers;
      const host = `server-${id}.test`;
      const port = await send(id, { do: 'open' });
      return {
        baseUrl: `http://${host}:${port}/api/v1`,
        serve(version, stillBroken = []) {
          hidden.delete(host);
          return send(id, { do: 'serve', version, stillBroken });
        },
        async break(paths, afterMs = 0) {
          if (FAULTS[fault] === 'hide') hidden.add(host);
          await send(id, { do: 'break', fault, paths, afterMs });
        },
        polls: () => send(id, { do: 'polls' }),
        async close() {
          await send(id, { do: 'close' });
        },
      };
    },
    close() {
      dns.lookup = lookup;
      return worker.terminate();
    },
  };
};
