import type { Context } from '@flagsvc/sdk-core';
import type { BootstrapClient, ContextClient, FlagBootstrap } from '@flagsvc/sdk-core/client';
import { detailsOf, toResults } from './override-results.ts';
import type { FlagOverrides } from './override-text.ts';

/** The part of a server's client that renders pages, such as that of `@flagsvc/sdk-node`. */
export type RequestClient = Pick<ContextClient, 'flag' | 'flagDetails' | 'evaluateAll'> & BootstrapClient;

/**
 * A server's client for one request, whose overrides answer first: in flags that the server reads, and in the bootstrap,
 * so that the page hydrates from the same values. Overridden flags are not counted as use. The client itself does
 * not change.
 */
export const withRequestOverrides = <Client extends RequestClient>(
  client: Client,
  overrides: FlagOverrides,
): Client => {
  const results = toResults(overrides);
  const flagDetails = (flagKey: string, context: never, defaultValue: never) => {
    const result = results.get(flagKey);
    return result
      ? detailsOf(result, defaultValue)
      : client.flagDetails(flagKey as never, context, defaultValue);
  };
  const overridden = {
    flagDetails,
    flag: (flagKey: string, context: never, defaultValue: never) =>
      flagDetails(flagKey, context, defaultValue).value,
    evaluateAll: (context: Context) =>
      Object.assign(client.evaluateAll(context), Object.fromEntries(results)),
    bootstrap(context: Context, flagKeys: readonly string[] | '*'): FlagBootstrap {
      const given = client.bootstrap(context, flagKeys as '*');
      const named = [...results].filter(([key]) => flagKeys === '*' || flagKeys.includes(key));
      const exposing = given.track_exposures?.filter((key) => !results.has(key));
      return {
        ...given,
        ...(exposing && { track_exposures: exposing }),
        // Entries, because the key `__proto__` is like any other.
        evaluations: Object.fromEntries([...Object.entries(given.evaluations), ...named]),
      };
    },
  };
  // The declared types of flags are trusted; values are checked against the default value at run time.
  return { ...client, ...(overridden as unknown as RequestClient) };
};
