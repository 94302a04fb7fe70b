import type { ClientStatus } from '@flagsvc/sdk-core/client';
import { useMemo, useSyncExternalStore } from 'react';
import { type HookAnswers, useProvided } from './provider.ts';

/** Reads what a hook shows. With `unseen`, the read is not counted as use. */
export type Read<T> = (answers: HookAnswers, unseen: boolean) => T;

/**
 * Reads from the client, in the first render from the bootstrap, and renders again when the reading changes. `reader`
 * is named by the error if there is no provider. Use of the flag, if one is named, is counted once the reading is on
 * the page, and again after each change of the flag.
 */
export const useAnswer = <T>(reader: string, read: Read<T>, flagKey = ''): T => {
  const { client, first } = useProvided(reader);
  // biome-ignore lint/correctness/useExhaustiveDependencies: to count a use, the `read` of the first render will do
  const subscribe = useMemo(
    () => (notify: () => void) => {
      // React subscribes in an effect, so a render that is thrown away is not counted.
      if (flagKey) read(client, false);
      return client.on('change', (keys) => {
        notify();
        if (keys.includes(flagKey)) read(client, false);
      });
    },
    [client, flagKey],
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

/** A function that gives the previous object again if the next one has the same fields, so that React sees no change. */
export const useStableObject = (): ReturnType<typeof createStabilizer> => useMemo(createStabilizer, []);

/** The state of the client, which tells "loading" from "off". Renders again when it changes. */
export const useClientStatus = (): ClientStatus => {
  const { client, first } = useProvided('useClientStatus');
  const subscribe = useMemo(() => (notify: () => void) => client.on('status', notify), [client]);
  return useSyncExternalStore(subscribe, client.status, first.status);
};
