import type { BrowserClient } from '@flagsvc/sdk-browser';
import type { FlagDefault, FlagKey, FlagValue } from '@flagsvc/sdk-core';
import { type InjectionKey, inject, onMounted, onUnmounted, type ShallowRef, shallowRef } from 'vue';

/** `app.provide(flagClient, client)` gives all components their client. */
export const flagClient: InjectionKey<BrowserClient> = Symbol('flagClient');

/** The value of a flag, which follows its changes. Counts as use when the component is mounted. */
export const useFlag = <Key extends FlagKey, Default extends FlagDefault<Key>>(
  flagKey: Key,
  defaultValue: Default,
): Readonly<ShallowRef<FlagValue<Key, Default>>> => {
  const client = inject(flagClient);
  if (!client) throw new Error(`no flagClient is provided above ${flagKey}`);
  const read = (unseen: boolean) => client.flagDetails(flagKey, defaultValue, unseen).value;
  const value = shallowRef(read(true));
  let stop = () => {};
  onMounted(() => {
    value.value = read(false);
    stop = client.on('change', (keys) => {
      if (keys.includes(flagKey)) value.value = read(false);
    });
  });
  onUnmounted(() => stop());
  return value;
};
