'use client';
/** The door for tests of components: flags that do as they are told. */
import type { Context, FlagDefault, FlagKey, Flags } from '@flagsvc/sdk-core';
import type { ClientStatus, PageClient } from '@flagsvc/sdk-core/client';
import { createTestClient, type TrackedEvent } from '@flagsvc/sdk-core/testing';
import { FlagProvider } from '@flagsvc/sdk-react';
import * as React from 'react';

export type { Context, EvaluationResult } from '@flagsvc/sdk-core';
export type { FlagDetails } from '@flagsvc/sdk-core/client';
export type { TrackedEvent } from '@flagsvc/sdk-core/testing';

/** Values by flag key, typed where `Flags` is filled. Flags that are not named are unknown. */
export type TestFlags = [keyof Flags] extends [never] ? Readonly<Record<string, unknown>> : Partial<Flags>;

/** A client of a page whose flags are set by the test. It never fetches and never sends. */
export interface TestFlagClient extends PageClient {
  /** From now on the flag serves this value. Components render again at once, inside of `act` where tests need it. */
  setFlag<Key extends FlagKey>(flagKey: Key, value: FlagDefault<Key>): void;
  /** From now on the flag is unknown. */
  removeFlag(flagKey: FlagKey): void;
  /** Starts as `ready`. */
  setStatus(status: ClientStatus): void;
  /** What was tracked, in order. */
  readonly tracked: readonly TrackedEvent[];
}

/** Runs it so that all that follows from it is rendered when this returns. */
const settle = (work: () => void) => {
  // React before 18.3 has no `act` of its own, nor has its production build.
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
  context: Context,
  run: (work: () => void) => void,
): TestFlagClient => {
  const test = createTestClient(flags as Record<string, unknown>);
  const flagDetails = test.flagDetails as (
    flagKey: string,
    context: Context,
    defaultValue: unknown,
    unseen?: boolean,
  ) => unknown;
  let own = context;
  return {
    ...test,
    flag: ((flagKey: string, defaultValue: unknown) =>
      test.flag(flagKey as FlagKey, own, defaultValue as never)) as PageClient['flag'],
    flagDetails: ((flagKey: string, defaultValue: unknown, unseen?: boolean) =>
      flagDetails(flagKey, own, defaultValue, unseen)) as PageClient['flagDetails'],
    evaluateAll: () => test.evaluateAll(own),
    get bootstrap() {
      return { evaluations: test.evaluateAll(own) };
    },
    track: (eventName, data) => test.track(eventName, own, data),
    context: () => own,
    setContext: async (next) => {
      own = next;
      return true;
    },
    setFlag: (flagKey, value) => run(() => test.setFlag(flagKey, value)),
    removeFlag: (flagKey) => run(() => test.removeFlag(flagKey)),
    setStatus: (status) => run(() => test.setStatus(status)),
  };
};

/** Starts with the given values and as `ready`. `stats().recorded` tells how often flags were used. */
export const createTestFlagClient = (
  flags: TestFlags = {},
  context: Context = { user_key: 'test' },
): TestFlagClient => createFlagClient(flags, context, settle);

/** What `FlagsTestProvider` takes: values, or a client for tests that change them on the way. */
export interface FlagsTestProviderProps {
  /** Values by flag key; what changes between renders is set. Default: none, so that every default value is served. */
  readonly flags?: TestFlags | undefined;
  /** Made by `createTestFlagClient`; then `flags` is not looked at. */
  readonly client?: TestFlagClient | undefined;
  readonly children?: React.ReactNode;
}

/** Stands in for `FlagProvider` in tests and stories. */
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
