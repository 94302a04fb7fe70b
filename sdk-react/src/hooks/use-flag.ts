import type { EvaluationResult, FlagDefault, FlagKey, FlagValue } from '@flagsvc/sdk-core';
import type { ClientStatus, FlagDetails, PageClient } from '@flagsvc/sdk-core/client';
import { useAnswer, useProvided } from './provider.ts';

/**
 * The value that is served to the user; the default value until there is one, for an unknown flag, and when the
 * types differ. Renders again when this value changes and at no other time. Counted as use once it is on the page.
 */
export const useFlag = <Key extends FlagKey, Default extends FlagDefault<Key>>(
  flagKey: Key,
  defaultValue: Default,
): FlagValue<Key, Default> =>
  useAnswer(
    flagKey,
    (answers, keep) => answers.flagDetails(flagKey, defaultValue, keep).value as FlagValue<Key, Default>,
  );

/** The same with its reason. `variation_key` is null when, and only when, the default value is served. */
export const useFlagDetails = <Key extends FlagKey, Default extends FlagDefault<Key>>(
  flagKey: Key,
  defaultValue: Default,
): FlagDetails<FlagValue<Key, Default>> =>
  // Read as a default, so that it is also read, and counted, where there is no `keep` to give it to.
  useAnswer(flagKey, (answers, keep, details = answers.flagDetails(flagKey, defaultValue, keep)) =>
    keep?.(details as FlagDetails<FlagValue<Key, Default>>),
  );

/** What `useSuspenseFlag` takes. */
export interface SuspenseOptions {
  /** Longest time to suspend. Default 5,000 ms. */
  readonly timeoutMs?: number | undefined;
}

/** How long each client was waited for, in milliseconds. */
const waited = /* @__PURE__ */ new WeakMap<PageClient, number>();

/**
 * The same as `useFlag`, but suspends while the client waits for its first answer. It renders the default value when
 * the first fetch fails, or after `timeoutMs`; the value follows when it comes. On a server it never suspends, which
 * would hold back the page: it renders the bootstrap or the default value.
 */
export const useSuspenseFlag = <Key extends FlagKey, Default extends FlagDefault<Key>>(
  flagKey: Key,
  defaultValue: Default,
  { timeoutMs = 5000 }: SuspenseOptions = {},
): FlagValue<Key, Default> => {
  const [client] = useProvided(flagKey);
  if (
    !(waited.get(client)! >= timeoutMs) &&
    typeof window !== 'undefined' &&
    client.status() === 'initializing'
  )
    throw client.ready({ timeoutMs, failFast: true }).then(() => {
      if (!(waited.get(client)! > timeoutMs)) waited.set(client, timeoutMs);
    });
  return useFlag(flagKey, defaultValue);
};

/** Every flag for the user, as `POST /evaluate` answers it; not counted as use. Renders again when any changes. */
export const useFlags = (): Readonly<Record<string, EvaluationResult>> =>
  useAnswer('useFlags', (answers, keep) => keep?.(answers.evaluateAll()));

/** How the client stands; tells "loading" from "off". Renders again when it changes. */
export const useClientStatus = (): ClientStatus =>
  useAnswer('useClientStatus', (answers) => answers.status(), 'status');

/** The client itself, to set the context or to track. */
export const useFlagClient = (): PageClient => useProvided('useFlagClient')[0];
