import type { ClientStatus } from '@flagsvc/sdk-core/client';
import { useMemo, useSyncExternalStore } from 'react';
import { type HookAnswers, useProvided } from './provider.ts';

/** Reads the value that a hook returns. With `unseen`, the read is not counted as use. */
export type Read<T> = (answers: HookAnswers, unseen: boolean) => T;

let lastKeys: readonly string[];
let lastSet: Set<string>;

/** Looks the key up in a set that all hooks share, because thousands of hooks may hear of a change of all flags. */
const isListed = (keys: readonly string[], flagKey: string) => {
  if (keys !== lastKeys) {
    lastKeys = keys;
    lastSet = new Set(keys);
  }
  return lastSet.has(flagKey);
};

/**
 * Reads a value from the client, and in the first render from the bootstrap. Renders again when the value changes. If
 * there is no provider, the error names `reader`. Without an event, `reader` is the key of the flag that is read: its use
 * is counted when the component is mounted, and again after each change of the flag.
 */
export const useAnswer = <T>(reader: string, read: Read<T>, event?: 'change' | 'status'): T => {
  const { client, first } = useProvided(reader);
  // biome-ignore lint/correctness/useExhaustiveDependencies: counting a use does not need the newest `read`
  const subscribe = useMemo(
    () => (notify: () => void) => {
      if (event) return client.on(event, notify);
      // React subscribes in an effect, so a discarded render is not counted.
      read(client, false);
      return client.on('change', (keys) => {
        if (!isListed(keys, reader)) return;
        notify();
        read(client, false);
      });
    },
    [client, reader],
  );
  return useSyncExternalStore(
    subscribe,
    () => read(client, true),
    () => read(first, true),
  );
};

const createStabilizer = () => {
  let stable: Record<string, unknown> = {};
  return <T extends object>(object: T): T => {
    const next = object as Record<string, unknown>;
    for (const name in { ...stable, ...next }) {
      if (!Object.is(stable[name], next[name])) stable = next;
    }
    return stable as T;
  };
};

/** Returns a function that returns its previous object if the next one has equal fields, so that React sees no change. */
export const useStableObject = (): ReturnType<typeof createStabilizer> => useMemo(createStabilizer, []);

/** The state of the client, which tells "loading" from "off". Renders again when it changes. */
export const useClientStatus = (): ClientStatus =>
  useAnswer('useClientStatus', (answers) => answers.status(), 'status');
