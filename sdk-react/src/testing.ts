'use client';
/** The entry point for tests of components, which set the values of flags. */
import type { Context, FlagDefault, FlagKey, Flags } from '@flagsvc/sdk-core';
import type { ClientStatus, PageClient } from '@flagsvc/sdk-core/client';
import { createTestMachine, type TrackedEvent } from '@flagsvc/sdk-core/testing';
import { FlagProvider } from '@flagsvc/sdk-react';
import * as React from 'react';

export type { Context, EvaluationResult } from '@flagsvc/sdk-core';
export type { FlagDetails } from '@flagsvc/sdk-core/client';
export type { TrackedEvent } from '@flagsvc/sdk-core/testing';

/** Values by flag key, typed if `Flags` is filled. All other flags are unknown. */
export type TestFlags = [keyof Flags] extends [never] ? Readonly<Record<string, unknown>> : Partial<Flags>;

/** A client of a page whose flags are set by the test. It never fetches and never sends. */
export interface TestFlagClient extends PageClient {
  /** Sets the flag's value. Components render again at once, inside of `act` if React requires it. */
  setFlag<Key extends FlagKey>(flagKey: Key, value: FlagDefault<Key>): void;
  /** Removes the flag, which is then unknown. */
  removeFlag(flagKey: FlagKey): void;
  /** Changes the status, which is `ready` at the start. */
  setStatus(status: ClientStatus): void;
  /** All `track` calls, in order. */
  readonly tracked: readonly TrackedEvent[];
}

/** Runs the work, and returns when React has rendered its effects. */
const renderAfter = (work: () => void) => {
  // React exports no `act` before 18.3, nor in production.
  const { act } = React as { act?: (work: () => void) => unknown };
  if (!act) return work();
  const environment = globalThis as { IS_REACT_ACT_ENVIRONMENT?: unknown };
  const before = environment.IS_REACT_ACT_ENVIRONMENT;
  environment.IS_REACT_ACT_ENVIRONMENT = true;
  try {
    act(work);
  } finally {
    environment.IS_REACT_ACT_ENVIRONMENT = before;
  }
};

const createFlagClient = (
  flags: TestFlags,
  initialContext: Context,
  run: (work: () => void) => void,
): TestFlagClient => {
  const { client, peeking } = createTestMachine(flags as Record<string, unknown>);
  let context = initialContext;
  const flagDetails: PageClient['flagDetails'] = (flagKey, defaultValue, unseen) =>
    (unseen ? peeking : client).flagDetails(flagKey, context, defaultValue);
  return {
    ...client,
    flag: (flagKey, defaultValue) => flagDetails(flagKey, defaultValue).value,
    flagDetails,
    evaluateAll: () => client.evaluateAll(context),
    get bootstrap() {
      return { evaluations: client.evaluateAll(context) };
    },
    track: (eventName, data) => client.track(eventName, context, data),
    context: () => context,
    setContext: async (next) => {
      context = next;
      return true;
    },
    setFlag: (flagKey, value) => run(() => client.setFlag(flagKey, value)),
    removeFlag: (flagKey) => run(() => client.removeFlag(flagKey)),
    setStatus: (status) => run(() => client.setStatus(status)),
  };
};

/** Creates a client with the given values. `stats().recorded` counts the uses of flags. */
export const createTestFlagClient = (
  flags: TestFlags = {},
  context: Context = { user_key: 'test' },
): TestFlagClient => createFlagClient(flags, context, renderAfter);

/** Props of `FlagsTestProvider`: values, or a client for tests that change them. */
export interface FlagsTestProviderProps {
  /** Values by flag key; changes between renders take effect. Default: none, so every default value is served. */
  readonly flags?: TestFlags | undefined;
  /** From `createTestFlagClient`; then `flags` is ignored. */
  readonly client?: TestFlagClient | undefined;
  readonly children?: React.ReactNode;
}

/** Replaces `FlagProvider` in tests and stories. */
export const FlagsTestProvider = ({
  flags = {},
  client,
  children,
}: FlagsTestProviderProps): React.ReactElement => {
  const [own] = React.useState(() => createFlagClient(flags, { user_key: 'test' }, (work) => work()));
  const shown = React.useRef<Readonly<Record<string, unknown>>>(flags);
  React.useLayoutEffect(() => {
    const before = shown.current;
    const after: Readonly<Record<string, unknown>> = flags;
    shown.current = after;
    for (const key of Object.keys(after))
      if (!Object.is(before[key], after[key])) own.setFlag(key as FlagKey, after[key] as never);
    for (const key of Object.keys(before)) if (!Object.hasOwn(after, key)) own.removeFlag(key as FlagKey);
  }, [flags, own]);
  return React.createElement(FlagProvider, { client: client ?? own }, children);
};
