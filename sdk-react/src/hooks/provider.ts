import type { FlagBootstrap, FlagDetails, PageClient } from '@flagsvc/sdk-core/client';
import {
  type Context,
  createContext,
  createElement,
  type ReactElement,
  type ReactNode,
  useContext,
  useMemo,
  useSyncExternalStore,
} from 'react';

/** What `FlagProvider` takes. */
export interface FlagProviderProps {
  /**
   * The client that answers. Create it outside of rendering, once for the page: React may render twice, or render
   * and throw away.
   */
  readonly client: PageClient;
  /**
   * What the server rendered with, so that hydration starts from the same values whatever the client has learnt
   * since. Give the same to the client. Default: the client's own bootstrap; never what it has cached or fetched.
   */
  readonly bootstrap?: FlagBootstrap | undefined;
  readonly children?: ReactNode;
}

/** What hooks read from. */
interface Answers extends Pick<PageClient, 'evaluateAll' | 'status'> {
  /** Counts as use, unless `unseen` is anything: hooks hand in their `keep`, which they have when they only look. */
  flagDetails(flagKey: string, defaultValue: unknown, unseen?: unknown): FlagDetails<unknown>;
}

/** Gives the last object again while the next one holds the same. */
type Keep = <T extends object>(next: T) => T;

/** What hooks find above them: the client, and the answers of the first render, which are the server's. */
type Provided = readonly [client: PageClient, first: Answers];

/** The first answers go on saying what the bootstrap says, the client's own if there is no other, whatever comes. */
const provide = (
  client: PageClient,
  bootstrap = client.bootstrap,
  all = bootstrap ? bootstrap.evaluations : {},
): Provided => [
  client,
  {
    evaluateAll: () => all,
    status: () => (bootstrap ? 'cached' : 'initializing'),
    flagDetails: (flagKey, defaultValue, unseen, result = all[flagKey]) =>
      // The rule by which clients serve (CL-63); of JSON, the constructor is the type, if no
      // field of its own has that name, and none states none.
      result?.variation_key &&
      (defaultValue?.constructor ?? result.value?.constructor) === result.value?.constructor
        ? result
        : // No flag has this key, so it is answered like any that is unknown.
          client.flagDetails('' as never, defaultValue as never, unseen as boolean),
  },
];

const FlagContext = /* @__PURE__ */ (createContext as () => Context<Provided | undefined>)();

/** Gives a client to the hooks below it. It never renders them again by itself. */
export const FlagProvider = ({ client, bootstrap, children }: FlagProviderProps): ReactElement =>
  createElement(
    FlagContext.Provider,
    {
      // biome-ignore lint/correctness/useExhaustiveDependencies: a new bootstrap comes too late to hydrate from
      value: useMemo(() => client && provide(client, bootstrap), [client]),
    },
    children,
  );

/** What a hook needs; throws an error that names it when there is no provider, or one without a client. */
export const useProvided = (asked: string): Provided => {
  const provided = useContext(FlagContext);
  if (!provided) throw Error(`no <FlagProvider client> above ${asked}`);
  return provided;
};

/**
 * What every hook is: a reading, kept up to date by one handler. `asked` is a flag key, or else the hook's name. The
 * reading is repeated without `keep` when it is on the page, and after each change of the flag: then it counts
 * as use.
 */
export const useAnswer = <T>(
  asked: string,
  read: (answers: Answers, keep?: Keep) => T | undefined,
  event: 'change' | 'status' = 'change',
): T => {
  const [client, first] = useProvided(asked);
  // A key that changes is another hook, so that nothing of the old one is left.
  // biome-ignore lint/correctness/useExhaustiveDependencies: `read` counts, for which its first default value will do
  const [subscribe, keep] = useMemo(() => {
    let kept: Record<string, unknown> = {};
    return [
      // React calls this in an effect: a render that is thrown away uses nothing.
      (notify: () => void) => {
        read(client);
        return client.on(event, (about) => {
          notify();
          if (about.includes(asked)) read(client);
        }) as () => void;
      },
      (next: Record<string, unknown>) => {
        for (const name in { ...kept, ...next }) if (!Object.is(kept[name], next[name])) kept = next;
        return kept;
      },
    ] as [Parameters<typeof useSyncExternalStore>[0], Keep];
  }, [client, asked]);
  return useSyncExternalStore(
    subscribe,
    () => read(client, keep),
    () => read(first, keep),
  ) as T;
};
