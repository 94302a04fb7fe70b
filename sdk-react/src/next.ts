'use client';
/** The entry point for Next.js and other frameworks that pass props from server components to the page. */
import type { Context } from '@flagsvc/sdk-core';
import type { FlagBootstrap, PageClient } from '@flagsvc/sdk-core/client';
import { FlagProvider } from '@flagsvc/sdk-react';
import { createElement, type ReactElement, type ReactNode, useEffect, useState } from 'react';

export type { Context } from '@flagsvc/sdk-core';
export type { FlagBootstrap, PageClient } from '@flagsvc/sdk-core/client';

/** What the first render knows. */
export interface PageStart {
  /** The user, if the server knows them. A static page does not: take the user from a cookie or from storage. */
  readonly context: Context | undefined;
  /** Pass this to the client. */
  readonly bootstrap: FlagBootstrap | undefined;
}

/** Props of the component that `createFlagsPage` returns. */
export interface FlagsPageProps {
  /** The user of the request. Omit it on a static page. When it changes, the client's context follows. */
  readonly context?: Context | undefined;
  /** The flags of this request, from `createServerFlags`. Omit it on a static page, which then fetches its flags. */
  readonly bootstrap?: FlagBootstrap | undefined;
  /** Says that the bootstrap is meant for all visitors, so a build may prerender it. Default false. */
  readonly isStatic?: boolean | undefined;
  readonly children?: ReactNode;
}

const isServer = () => typeof window === 'undefined';

/** Next.js sets this variable while it prerenders static pages. */
const isPrerendering = () =>
  (globalThis as { process?: { env?: Record<string, unknown> } }).process?.env?.['NEXT_PHASE'] ===
  'phase-production-build';

/** The user in a text that does not depend on the order of fields. */
const toText = (context: Context): string =>
  JSON.stringify([
    context.user_key,
    Object.entries(context.attributes ?? {}).sort(([a], [b]) => (a < b ? -1 : 1)),
  ]);

/** A server has a client per request, which never fetches. */
const createOnServer = (
  create: (start: PageStart) => PageClient,
  { context, bootstrap }: PageStart,
): PageClient => {
  if (bootstrap) return create({ context, bootstrap });
  // Without a bootstrap a client on a server reports a fault, although a static page needs none: the page fetches.
  const client = create({ context: context ?? { user_key: '' }, bootstrap: { evaluations: {} } });
  return { ...client, bootstrap: undefined, status: () => 'initializing' };
};

/**
 * Creates the component that gives a page its flags; wrap your root layout in it. `createClient` is called once per page,
 * and on a server once per request. The first render shows the bootstrap. A page without one, which the build has
 * prerendered, shows default values until it has fetched.
 */
export const createFlagsPage = (
  createClient: (start: PageStart) => PageClient,
): ((props: FlagsPageProps) => ReactElement) => {
  let ofPage: PageClient | undefined;
  const clientOf = (start: PageStart) => {
    if (isServer()) return createOnServer(createClient, start);
    // In a variable, because StrictMode and remounts would create others.
    ofPage ??= createClient(start);
    return ofPage;
  };
  return function FlagsPage({ context, bootstrap, isStatic, children }) {
    if (isServer() && bootstrap && !isStatic && isPrerendering())
      console.warn(
        'flagsvc: this page is prerendered with the flags of one user. Call `await connection()` of next/server ' +
          'before you create the bootstrap, or omit it, or set isStatic if all visitors may get these flags.',
      );
    const [client] = useState(() => clientOf({ context, bootstrap }));
    const user = context && toText(context);
    // biome-ignore lint/correctness/useExhaustiveDependencies: servers send an equal context as a new object each time
    useEffect(() => {
      if (context && toText(client.context()) !== user) void client.setContext(context);
    }, [client, user]);
    return createElement(FlagProvider, { client, bootstrap }, children);
  };
};
