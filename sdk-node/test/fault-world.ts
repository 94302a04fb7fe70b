import dns from 'node:dns';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import type { Order } from './fault-server.ts';
import { FAULTS } from './faults.ts';

/** A server with a name of its own, to put under a fault and to relieve of it. */
export interface FaultWorld {
  readonly baseUrl: string;
  /** All is well again, with this version of the ruleset; but for some paths. */
  serve(version: number, stillBroken?: readonly string[]): Promise<unknown>;
  /** From now on these paths are at fault, each answer after some time; connections and streams end. */
  break(paths: readonly string[], afterMs?: number): Promise<void>;
  /** How often the ruleset was asked for. */
  polls(): Promise<number>;
  close(): Promise<void>;
}

/** The servers of many worlds, in a thread of their own. */
export const startFaultServers = (): {
  open(fault: string): Promise<FaultWorld>;
  close(): Promise<unknown>;
} => {
  const worker = new Worker(join(import.meta.dirname, 'fault-server.ts'), {
    execArgv: ['--conditions=@flagsvc/source'],
  });
  const waiting = new Map<number, (answer: number) => void>();
  let asks = 0;
  let worlds = 0;
  worker.on('message', ({ ask, answer }) => {
    waiting.get(ask)!(answer);
    waiting.delete(ask);
  });
  const send = (id: number, order: Order) =>
    new Promise<number>((resolve) => {
      waiting.set(++asks, resolve);
      worker.postMessage({ ask: asks, id, order });
    });

  const hidden = new Set<string>();
  const { lookup } = dns;
  // What `fetch` asks for addresses; names under .test belong to nobody.
  dns.lookup = ((host: string, options: { all?: boolean }, callback: (...about: unknown[]) => void) => {
    if (!host.endsWith('.test')) return lookup(host, options, callback as never);
    const address = { address: '127.0.0.1', family: 4 };
    if (hidden.has(host)) callback(Object.assign(new Error(`getaddrinfo ENOTFOUND`), { code: 'ENOTFOUND' }));
    else if (options.all) callback(null, [address]);
    else callback(null, address.address, address.family);
  }) as never;

  return {
    async open(fault) {
      const id = ++worlds;
      const host = `world-${id}.test`;
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
