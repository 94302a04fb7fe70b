import type { EvaluationResult, FlagDefault, FlagKey, FlagValue } from '@flagsvc/sdk-core';
import type { FlagDetails, PageClient } from '@flagsvc/sdk-core/client';
import { useProvided } from './provider.ts';
import { useAnswer, useStableObject } from './use-answer.ts';

/**
 * The value served to the user. It is the default value until there is an answer, for an unknown flag, and if the types
 * differ. Renders again only when this value changes. Counts as use when the component is mounted.
 */
export const useFlag = <Key extends FlagKey, Default extends FlagDefault<Key>>(
  flagKey: Key,
  defaultValue: Default,
): FlagValue<Key, Default> =>
  useAnswer(flagKey, (answers, unseen) => answers.flagDetails(flagKey, defaultValue, unseen).value);

/** The value of `useFlag` with its reason. `variation_key` is null if and only if the default value is served. */
export const useFlagDetails = <Key extends FlagKey, Default extends FlagDefault<Key>>(
  flagKey: Key,
  defaultValue: Default,
): FlagDetails<FlagValue<Key, Default>> => {
  const keep = useStableObject();
  return useAnswer(flagKey, (answers, unseen) => keep(answers.flagDetails(flagKey, defaultValue, unseen)));
};

/** Options of `useSuspenseFlag`. */
export interface SuspenseOptions {
  /** Longest time to suspend. Default 5,000 ms. */
  readonly timeoutMs?: number | undefined;
}

/** For each client, how long components have waited for its first answer, in milliseconds. */
const waitedMs = /* @__PURE__ */ new WeakMap<PageClient, number>();
// Comparing with undefined is false.
const hasWaited = (client: PageClient, timeoutMs: number) => waitedMs.get(client)! >= timeoutMs;

/**
 * The same as `useFlag`, but suspends until the client has its first answer. Renders the default value if the first
 * fetch fails or takes longer than `timeoutMs`, and the value when it arrives. On a server it never suspends, because
 * that would delay the page; it renders the bootstrap or the default value.
 */
export const useSuspenseFlag = <Key extends FlagKey, Default extends FlagDefault<Key>>(
  flagKey: Key,
  defaultValue: Default,
  { timeoutMs = 5000 }: SuspenseOptions = {},
): FlagValue<Key, Default> => {
  const { client } = useProvided(flagKey);
  if (typeof window !== 'undefined' && client.status() === 'initializing' && !hasWaited(client, timeoutMs))
    throw client
      .ready({ timeoutMs, failFast: true })
      .then(() => hasWaited(client, timeoutMs) || waitedMs.set(client, timeoutMs));
  return useFlag(flagKey, defaultValue);
};

/**
 * Every flag's result, in the shape of `POST /evaluate`; not counted as use. Renders again when any of them changes.
 */
export const useFlags = (): Readonly<Record<string, EvaluationResult>> => {
  const keep = useStableObject();
  return useAnswer('useFlags', (answers) => keep(answers.evaluateAll()), 'change');
};

/** Records an event of the user: the client's `track`, the same function in every render. */
export const useTrack = (): PageClient['track'] => useProvided('useTrack').client.track;

/** The client, to set the context. */
export const useFlagClient = (): PageClient => useProvided('useFlagClient').client;
