/**
 * The entry point for server components and other servers. It has no hooks and no React context, and needs no browser. It
 * reads flags and passes them to the page.
 */
import type { Context, FlagDefault, FlagKey, FlagValue } from '@flagsvc/sdk-core';
import type { BootstrapClient, ContextClient, FlagBootstrap, FlagDetails } from '@flagsvc/sdk-core/client';
import { createElement, type ReactElement } from 'react';

export type { Context } from '@flagsvc/sdk-core';
export type { FlagBootstrap, FlagDetails } from '@flagsvc/sdk-core/client';

/** The flags of one user during one request. */
export interface ServerFlags {
  /** The value served to the user; counted as use. */
  flag<Key extends FlagKey, Default extends FlagDefault<Key>>(
    flagKey: Key,
    defaultValue: Default,
  ): FlagValue<Key, Default>;
  /** The value with its reason; counted as use. */
  flagDetails<Key extends FlagKey, Default extends FlagDefault<Key>>(
    flagKey: Key,
    defaultValue: Default,
  ): FlagDetails<FlagValue<Key, Default>>;
  /**
   * The bootstrap of the page, for `FlagProvider` and `createBrowserClient`. It is sent to the visitor, so name only
   * the flags that the page needs. `'*'` takes every flag that the client's key sees; with a key of kind `client` these
   * are the flags meant for visitors. Unknown flags are left out.
   */
  bootstrap(flagKeys: readonly FlagKey[] | '*'): FlagBootstrap;
}

/** Reads flags for one user from a server client, such as that of `@flagsvc/sdk-node`. Create one per request. */
export const createServerFlags = (
  client: Pick<ContextClient, 'flag' | 'flagDetails'> & BootstrapClient,
  context: Context,
): ServerFlags => ({
  flag: (flagKey, defaultValue) => client.flag(flagKey, context, defaultValue),
  flagDetails: (flagKey, defaultValue) => client.flagDetails(flagKey, context, defaultValue),
  bootstrap: (flagKeys) => client.bootstrap(context, flagKeys),
});

/** Props of `FlagBootstrapScript`. */
export interface FlagBootstrapScriptProps {
  readonly bootstrap: FlagBootstrap;
  /** The id of the script element. Default `flagsvc-bootstrap`. */
  readonly id?: string | undefined;
}

/**
 * Puts the bootstrap into the page as data, for servers that cannot pass props to the page. The script is never executed,
 * so a strict Content-Security-Policy allows it without a nonce. No value can end the element.
 */
export const FlagBootstrapScript = ({
  bootstrap,
  id = 'flagsvc-bootstrap',
}: FlagBootstrapScriptProps): ReactElement =>
  createElement('script', {
    id,
    type: 'application/json',
    dangerouslySetInnerHTML: { __html: JSON.stringify(bootstrap).replaceAll('<', '\\u003c') },
  });
