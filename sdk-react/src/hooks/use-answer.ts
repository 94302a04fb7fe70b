import type { ClientStatus } from '@flagsvc/sdk-core/client';
import { useMemo, useSyncExternalStore } from 'react';
import { type HookAnswers, useProvided } from './provider.ts';

/** Reads the value that a hook returns. With `unseen`, the read is not counted as use. */
export type Read<T> = (answers: HookAnswers, unseen: boolean) => T;

/**
 * Reads a value from the client, and in the first render from the bootstrap. Renders again when the value changes. If
 * there is no provider, the error names `reader`. With a flag key, the flag's use is counted when the component is
 * mounted, and again after each change of the flag.
 */
export const useAnswer = <T>(reader: string, read: Read<T>, flagKey = ''): T => {
  const { client, first } = useProvided(reader);
  // biome-ignore lint/correctness/useExhaustiveDependencies: counting a use does not need the newest `read`
  const subscribe = useMemo(
    () => (notify: () => void) => {
      // React subscribes in an effect, so a discarded render is not counted.
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

/** Returns a function that returns its previous object if the next one has equal fields, so that React sees no change. */
export const useStableObject = (): ReturnType<typeof createStabilizer> => useMemo(createStabilizer, []);

/** The state of the client, which tells "loading" from "off". Renders again when it changes. */
export const useClientStatus = (): ClientStatus => {
  const { client, first } = useProvided('useClientStatus');
  const subscribe = useMemo(() => (notify: () => void) => client.on('status', notify), [client]);
  return useSyncExternalStore(subscribe, client.status, first.status);
};
