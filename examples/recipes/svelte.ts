import type { BrowserClient } from '@flagsvc/sdk-browser';
import type { FlagDefault, FlagKey, FlagValue } from '@flagsvc/sdk-core';
import { getContext, onMount, setContext } from 'svelte';
import { createSubscriber } from 'svelte/reactivity';

const KEY = Symbol('flagClient');

/** Gives all components below their client. */
export const setFlagClient = (client: BrowserClient): BrowserClient => setContext(KEY, client);

/** The value of a flag, which follows its changes. Counts as use when the component is mounted. */
export const useFlag = <Key extends FlagKey, Default extends FlagDefault<Key>>(
  flagKey: Key,
  defaultValue: Default,
): (() => FlagValue<Key, Default>) => {
  const client = getContext<BrowserClient | undefined>(KEY);
  if (!client) throw new Error(`no setFlagClient above ${flagKey}`);
  const read = (unseen: boolean) => client.flagDetails(flagKey, defaultValue, unseen).value;
  const subscribe = createSubscriber((update) => client.on('change', update));
  onMount(() => {
    read(false);
    return client.on('change', (keys) => {
      if (keys.includes(flagKey)) read(false);
    });
  });
  return () => {
    subscribe();
    return read(true);
  };
};
