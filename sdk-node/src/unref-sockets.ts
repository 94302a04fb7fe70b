import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import type { Lifecycle } from '@flagsvc/sdk-core/client';

const CHANNEL = 'undici:client:sendHeaders';
const keys = new Map<string, number>();

/** `fetch` has no option for it, but tells of each request and its socket. */
const onSendHeaders = (message: unknown) => {
  const { headers, socket } = message as { headers?: unknown; socket?: { unref?: () => void } };
  for (const key of keys.keys()) if (String(headers).includes(key)) socket?.unref?.();
};

/** Requests with this key do not keep the process alive: a server that hangs cannot delay its exit (decision 0026). */
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
