import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import type { Lifecycle } from '@flagsvc/sdk-core/client';

/** The number of clients by SDK key. */
const keys = new Map<string, number>();

/** The parts of undici's diagnostics messages that are used. Node does not guarantee their shape. */
interface Message {
  readonly request?: { readonly path?: unknown };
  readonly headers?: unknown;
  readonly socket?: { ref?(): void; unref?(): void };
}

/**
 * How many requests of our clients and of the host are in flight on a socket. With HTTP/2, the host's requests and ours
 * can share a socket.
 */
interface Load {
  ours: number;
  hosts: number;
}

let loads = new WeakMap<object, Load>();
/** For each request, the callback to run when the request ends. */
let endings = new WeakMap<object, () => void>();

/**
 * Finds the socket of each request. `fetch` has no option to unref a socket, but undici publishes the sockets of
 * requests.
 */
const onSendHeaders = (message: unknown) => {
  const { request, headers, socket } = message as Message;
  if (!request || !socket) return;
  // The path is compared too, because the host may use the same key for requests of its own.
  const isOfClient = /\/sdk\/(ruleset|events|stream)\b/.test(String(request.path));
  // Another copy of this module handles the requests of its own clients.
  if (isOfClient && ![...keys.keys()].some((key) => String(headers).includes(`x-api-key: ${key}\r`))) return;
  const owner = isOfClient ? 'ours' : 'hosts';
  const load = loads.get(socket) ?? { ours: 0, hosts: 0 };
  const change = (by: number) => {
    load[owner] += by;
    // A socket without our requests is left as the host set it.
    if (load.ours) load.hosts ? socket.ref?.() : socket.unref?.();
  };
  loads.set(socket, load);
  endings.set(request, () => change(-1));
  change(1);
};
const onEnd = (message: unknown) => {
  const { request } = message as Message;
  if (!request) return;
  endings.get(request)?.();
  endings.delete(request);
};
const listen = (toggle: typeof subscribe | typeof unsubscribe) => {
  toggle('undici:client:sendHeaders', onSendHeaders);
  toggle('undici:request:trailers', onEnd);
  toggle('undici:request:error', onEnd);
  // Requests in flight are forgotten, because their ends are not observed.
  loads = new WeakMap();
  endings = new WeakMap();
};

/**
 * Keeps requests of clients with this key from keeping the process alive, so a server that hangs cannot delay the exit
 * of the process. Requests of the host still keep the process alive, even on a socket that carries both
 * (decisions/0013).
 */
export const unrefSockets =
  (apiKey: string): Lifecycle =>
  () => {
    if (keys.size === 0) listen(subscribe);
    keys.set(apiKey, (keys.get(apiKey) ?? 0) + 1);
    return () => {
      const left = keys.get(apiKey)! - 1;
      if (left) keys.set(apiKey, left);
      else keys.delete(apiKey);
      if (keys.size === 0) listen(unsubscribe);
    };
  };
