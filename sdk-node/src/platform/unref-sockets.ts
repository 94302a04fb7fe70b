import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import type { Lifecycle } from '@flagsvc/sdk-core/client';

/** How many clients use each key. */
const keys = new Map<string, number>();

/** The used part of undici's messages, about which Node promises nothing. */
interface Message {
  readonly request?: { readonly path?: unknown };
  readonly headers?: unknown;
  readonly socket?: { ref?(): void; unref?(): void };
}

/** Requests on a socket at the moment. With HTTP/2 the host's and ours can share a socket. */
interface Load {
  ours: number;
  hosts: number;
}

let loads = new WeakMap<object, Load>();
/** What to do when a request ends. */
let endings = new WeakMap<object, () => void>();

/** `fetch` has no option for it, but undici publishes each request with its socket. */
const onSendHeaders = (message: unknown) => {
  const { request, headers, socket } = message as Message;
  if (!request || !socket) return;
  // The path as well, because the host may use the same key for requests that it awaits.
  const isOfClient = /\/sdk\/(ruleset|events|stream)\b/.test(String(request.path));
  // Another copy of this module handles the requests of its own clients.
  if (isOfClient && ![...keys.keys()].some((key) => String(headers).includes(`x-api-key: ${key}\r`))) return;
  const owner = isOfClient ? 'ours' : 'hosts';
  const load = loads.get(socket) ?? { ours: 0, hosts: 0 };
  const change = (by: number) => {
    load[owner] += by;
    // A socket that carries none of our requests stays as its host left it.
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
  // The ends of requests in flight were missed, or will be.
  loads = new WeakMap();
  endings = new WeakMap();
};

/**
 * Requests of clients with this key do not keep the process alive, so a server that hangs cannot delay its exit
 * (decisions/0013). Requests of the host do, even on a socket that carries both (decisions/0013).
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
