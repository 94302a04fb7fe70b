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
  /** The client that answers. Create it outside of rendering, once per page: React may render twice, or in vain. */
  readonly client: PageClient;
  /**
   * What the server rendered with, so that hydration starts from the same values whatever the client has fetched
   * since. Give the same to the client. Default: the client's own bootstrap; never what it has cached or fetched.
   */
  readonly bootstrap?: FlagBootstrap | undefined;
  readonly children?: ReactNode;
}

/** What hooks read from. With `unseen`, a read is not counted as use. */
export type HookAnswers = Pick<PageClient, 'flagDetails' | 'evaluateAll' | 'status'>;

/** What hooks find above them. */
export interface Provided {
  readonly client: PageClient;
  /** The answers of the first render, which are the server's. */
  readonly first: HookAnswers;
}

/** The answers of a bootstrap, whatever the client has fetched since. Without one, every default value is served. */
const createFirstAnswers = (bootstrap: PageClient['bootstrap']): HookAnswers => {
  // A copy without a prototype, in which no flag key is inherited.
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

/** Gives a client to the hooks below it. It never renders them again by itself. */
export const FlagProvider = ({ client, bootstrap, children }: FlagProviderProps): ReactElement => {
  // biome-ignore lint/correctness/useExhaustiveDependencies: a new bootstrap comes too late to hydrate from
  const provided = useMemo(
    () => client && { client, first: createFirstAnswers(bootstrap ?? client.bootstrap) },
    [client],
  );
  return createElement(FlagContext.Provider, { value: provided }, children);
};

/** What the provider above offers. Throws an error that names `reader` if there is none, or one without a client. */
export const useProvided = (reader: string): Provided => {
  const provided = useContext(FlagContext);
  if (!provided) throw new Error(`no <FlagProvider client> above ${reader}`);
  return provided;
};
