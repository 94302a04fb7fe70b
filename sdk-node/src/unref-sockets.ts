import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import type { Lifecycle } from '@flagsvc/sdk-core/client';

const CHANNEL = 'undici:client:sendHeaders';
const keys = new Map<string, number>();

/** The part that is used of what is told, of which Node promises nothing. */
interface Message {
  readonly request?: { readonly path?: unknown };
  readonly headers?: unknown;
  readonly socket?: { unref?(): void };
}

/** `fetch` has no option for it, but tells of each request and its socket. */
const onSendHeaders = (message: unknown) => {
  const { request, headers, socket } = message as Message;
  // The host may have the same key, and wait for what it asks.
  if (!/\/sdk\/(ruleset|events|stream)\b/.test(String(request?.path))) return;
  for (const key of keys.keys()) if (String(headers).includes(`x-api-key: ${key}\r`)) socket?.unref?.();
};

/**
 * Requests of clients with this key do not keep the process alive: a server that hangs cannot delay its exit
 * (decisions 0026 and 0161).
 */
export const unrefSockets =
  (apiKey: string): Lifecycle =>
  () => {
    if (keys.size === 0) subscribe(CHANNEL, onSendHeaders);
    keys.set(apiKey, (keys.get(apiKey) ?? 0) + 1);
    return () => {
      const left = keys.get(apiKey)! - 1;
      if (left) keys.set(apiKey, left);
      else keys.delete(apiKey);
      if (keys.size === 0) unsubscribe(CHANNEL, onSendHeaders);
    };
  };
