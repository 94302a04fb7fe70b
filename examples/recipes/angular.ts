import { afterNextRender, DestroyRef, InjectionToken, inject, type Signal, signal } from '@angular/core';
import type { BrowserClient } from '@flagsvc/sdk-browser';
import type { FlagDefault, FlagKey, FlagValue } from '@flagsvc/sdk-core';

/** `{ provide: FLAG_CLIENT, useValue: client }` gives all components their client. */
export const FLAG_CLIENT = new InjectionToken<BrowserClient>('flagsvc client');

/** The value of a flag, which follows its changes. Counts as use when the component is rendered in a page. */
export const injectFlag = <Key extends FlagKey, Default extends FlagDefault<Key>>(
  flagKey: Key,
  defaultValue: Default,
): Signal<FlagValue<Key, Default>> => {
  const client = inject(FLAG_CLIENT);
  const destroyRef = inject(DestroyRef);
  const read = (unseen: boolean) => client.flagDetails(flagKey, defaultValue, unseen).value;
  const value = signal(read(true));
  afterNextRender(() => {
    value.set(read(false));
    const stop = client.on('change', (keys) => {
      if (keys.includes(flagKey)) value.set(read(false));
    });
    destroyRef.onDestroy(stop);
  });
  return value.asReadonly();
};
