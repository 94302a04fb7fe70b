import type { BrowserClient } from '@flagsvc/sdk-browser';
import type { FlagDefault, FlagKey, FlagValue } from '@flagsvc/sdk-core';
import { type Accessor, createContext, createSignal, onCleanup, onMount, useContext } from 'solid-js';

/** `<FlagContext.Provider value={client}>` gives all components below their client. */
export const FlagContext = createContext<BrowserClient>();

/** The value of a flag, which follows its changes. Counts as use when the component is mounted. */
export const createFlag = <Key extends FlagKey, Default extends FlagDefault<Key>>(
  flagKey: Key,
  defaultValue: Default,
): Accessor<FlagValue<Key, Default>> => {
  const client = useContext(FlagContext);
  if (!client) throw new Error(`no FlagContext.Provider above ${flagKey}`);
  const read = (unseen: boolean) => client.flagDetails(flagKey, defaultValue, unseen).value;
  const [value, setValue] = createSignal(read(true));
  onMount(() => {
    setValue(() => read(false));
    const stop = client.on('change', (keys) => {
      if (keys.includes(flagKey)) setValue(() => read(false));
    });
    onCleanup(stop);
  });
  return value;
};
