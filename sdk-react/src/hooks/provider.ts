import type { EvaluationResult } from '@flagsvc/sdk-core';
import { type FlagBootstrap, isServable, type PageClient } from '@flagsvc/sdk-core/client';
import {
  type Context,
  createContext,
  createElement,
  type ReactElement,
  type ReactNode,
  useContext,
  useMemo,
} from 'react';

/** Props of `FlagProvider`. */
export interface FlagProviderProps {
  /** The client. Create it once per page, outside of rendering, because React may render twice or discard a render. */
  readonly client: PageClient;
  /**
   * The bootstrap that the server rendered with, so that hydration starts from the same values even if the client has
   * newer ones. Pass the same bootstrap to the client. Default: the client's bootstrap, never its cached or fetched
   * values.
   */
  readonly bootstrap?: FlagBootstrap | undefined;
  readonly children?: ReactNode;
}

/** The part of a client that hooks read. With `unseen`, a read is not counted as use. */
export type HookAnswers = Pick<PageClient, 'flagDetails' | 'evaluateAll' | 'status'>;

/** The context value that a provider passes to hooks. */
export interface Provided {
  readonly client: PageClient;
  /** The answers of the first render, which equal the server's. */
  readonly first: HookAnswers;
}

/** Answers from a bootstrap, even if the client has newer ones. Without a bootstrap every default value is served. */
const createFirstAnswers = (bootstrap: PageClient['bootstrap']): HookAnswers => {
  // A copy without a prototype, so that keys such as `constructor` are not found by inheritance.
  const evaluations = Object.assign(Object.create(null), bootstrap?.evaluations);
  const flagDetails = (flagKey: string, defaultValue: unknown) => {
    const result: Partial<EvaluationResult> | undefined = evaluations[flagKey];
    const isServed = result?.variation_key != null && isServable(result.value, defaultValue);
    return isServed
      ? result
      : { reason: 'FLAG_NOT_FOUND', rule_id: null, ...result, value: defaultValue, variation_key: null };
  };
  return {
    flagDetails: flagDetails as HookAnswers['flagDetails'],
    evaluateAll: () => evaluations,
    status: () => (bootstrap ? 'cached' : 'initializing'),
  };
};

const FlagContext = /* @__PURE__ */ (createContext as () => Context<Provided | undefined>)();

/** Passes a client to the hooks below it. It never causes a render of its own. */
export const FlagProvider = ({ client, bootstrap, children }: FlagProviderProps): ReactElement => {
  // biome-ignore lint/correctness/useExhaustiveDependencies: a new bootstrap comes too late to hydrate from
  const provided = useMemo(
    () => client && { client, first: createFirstAnswers(bootstrap ?? client.bootstrap) },
    [client],
  );
  return createElement(FlagContext.Provider, { value: provided }, children);
};

/** The value of the provider above. Throws an error that names `reader` if there is no provider with a client. */
export const useProvided = (reader: string): Provided => {
  const provided = useContext(FlagContext);
  if (!provided) throw new Error(`no <FlagProvider client> above ${reader}`);
  return provided;
};
