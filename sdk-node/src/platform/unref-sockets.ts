import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import type { Lifecycle } from '@flagsvc/sdk-core/client';

const keys = new Map<string, number>();

/** The part that is used of what is told, of which Node promises nothing. */
interface Message {
  readonly request?: { readonly path?: unknown };
  readonly headers?: unknown;
  readonly socket?: { ref?(): void; unref?(): void };
}

/** How many requests a socket carries now. By HTTP/2 those of the host and ours are on the same at the same time. */
interface Load {
  ours: number;
  hosts: number;
}

let loads = new WeakMap<object, Load>();
/** What is to be done at the end of a request. */
let endings = new WeakMap<object, () => void>();

/** `fetch` has no option for it, but tells of each request and its socket. */
const onSendHeaders = (message: unknown) => {
  const { request, headers, socket } = message as Message;
  if (!request || !socket) return;
  // The host may have the same key, and wait for what it asks.
  const isOfClient = /\/sdk\/(ruleset|events|stream)\b/.test(String(request.path));
  // Another copy of this module looks after those of its own clients.
  if (isOfClient && ![...keys.keys()].some((key) => String(headers).includes(`x-api-key: ${key}\r`))) return;
  const whose = isOfClient ? 'ours' : 'hosts';
  const load = loads.get(socket) ?? { ours: 0, hosts: 0 };
  const carry = (change: number) => {
    load[whose] += change;
    // What carries none of ours is none of our business.
    if (load.ours) load.hosts ? socket.ref?.() : socket.unref?.();
  };
  loads.set(socket, load);
  endings.set(request, () => carry(-1));
  carry(1);
};
const onEnd = (message: unknown) => {
  const { request } = message as Message;
  if (!request) return;
  endings.get(request)?.();
  endings.delete(request);
};
const listen = (change: typeof subscribe | typeof unsubscribe) => {
  change('undici:client:sendHeaders', onSendHeaders);
  change('undici:request:trailers', onEnd);
  change('undici:request:error', onEnd);
  // Of what is under way nobody tells the end.
  loads = new WeakMap();
  endings = new WeakMap();
};

/**
 * Requests of clients with this key do not keep the process alive: a server that hangs cannot delay its exit
 * (decisions/0013). Those of the host do, also on a socket that carries both (decisions/0013).
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
