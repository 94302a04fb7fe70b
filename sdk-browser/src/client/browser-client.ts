import type { Context } from '@flagsvc/sdk-core';
import {
  type ClientConfig,
  createClient,
  createFlagReader,
  createLeaderElection,
  createRequestScheduler,
  demand,
  type Fault,
  jsonDecoder,
  type PageClient,
  parseOptions,
  type SavedPayload,
} from '@flagsvc/sdk-core/client';
import { createPageCache } from '../page/page-cache.ts';
import { createPageFetch } from '../page/page-fetch.ts';
import { hashText, type PageGlobals, type PagePorts, systemPorts } from '../page/page-globals.ts';
import { createPageSource } from '../page/page-source.ts';
import { followVisibility } from '../page/page-visibility.ts';
import { joinTabChannel } from '../page/tab-channel.ts';
import { remoteMode } from './mode.ts';
import { BROWSER_DEFAULTS, type BrowserClientOptions, copyContext } from './options.ts';
import { VERSION } from './version.ts';

/**
 * Creates a client outside of a web page, such as in an app or an extension: `globals` stand in for what
 * `createBrowserClient` finds on `globalThis`. Throws a TypeError that names a bad option.
 */
export const createPageClient = (
  options: BrowserClientOptions,
  globals: PageGlobals,
  ports: PagePorts = systemPorts,
): PageClient => {
  const settings = parseOptions(options, BROWSER_DEFAULTS);
  const {
    apiKey,
    baseUrl,
    bootstrap,
    signal,
    streaming,
    mode = remoteMode(),
    logger = (_, text) => console.warn(text),
  } = settings;
  demand(mode.load, 'mode', 'must be remoteMode() or localMode()');
  let context = copyContext(settings.context);
  let instanceId: string | undefined;
  const source = createPageSource(mode, () => context);
  /** Identifies the user that answers are for; the same for all users of a ruleset. */
  const owner = () => hashText(source.request().body ?? '');
  const name = `flagsvc-${hashText(`${apiKey} ${baseUrl}`)}`;
  const cache = createPageCache(settings.cache ? globals : {}, { name, owner, ...ports });
  const config: ClientConfig = {
    ...settings,
    ...ports,
    fetch: createPageFetch(globals, settings.fetch),
    ...jsonDecoder,
    log(fault: Fault) {
      if (logger) logger(fault, `flagsvc: ${fault.code} ${fault.detail}`);
    },
    sdk: {
      name: 'flagsvc-browser',
      version: VERSION,
      // Drawn when it is first sent: frameworks refuse to prerender what uses random numbers. Not by
      // `crypto.randomUUID`, which pages served over plain HTTP do not have.
      get instance_id() {
        instanceId ??= hashText(`${ports.random()}${ports.random()}`);
        return instanceId;
      },
      app: settings.app || undefined,
    },
    saved: bootstrap === undefined ? cache.load() : { data: bootstrap, tag: null },
    save(payload: SavedPayload) {
      cache.save(payload);
      election.publish(true);
    },
    polled(status, header) {
      // Only rulesets are confirmed: answers may have been for another user.
      if (status === 304 && !source.request().body) election.publish();
      if (header?.('x-flagsvc-warnings') === 'server-key') report('SERVER_KEY', 'use a client key');
    },
    connect(handles) {
      const disconnect = followVisibility(globals, handles, election.connect);
      return () => {
        disconnect();
        // The signal may outlive many clients.
        signal?.removeEventListener('abort', abort);
      };
    },
  };
  const election = createLeaderElection(
    config,
    (membership) => joinTabChannel(globals, name + owner(), membership),
    streaming ? streaming({ ...config, createRequestScheduler }) : undefined,
  );
  const { client, report, snapshot, reload, refetch } = createClient(config, source);
  const peeking = createFlagReader(
    snapshot,
    () => {},
    () => {},
  );
  const abort = () => client.close({ timeoutMs: 0 });
  signal?.addEventListener('abort', abort);
  // Without a document nothing is fetched, so only a server that renders from a bootstrap can use the client.
  if (bootstrap === undefined && !globals.document) {
    report('NO_DOCUMENT', 'use createPageClient');
    abort();
  }
  if (signal?.aborted) abort();
  const flagDetails: PageClient['flagDetails'] = (flagKey, defaultValue, unseen) =>
    // The context that the answers are for; it is not read when there are no answers.
    (unseen ? peeking : client).flagDetails(flagKey, snapshot()?.context as Context, defaultValue);
  return {
    ...client,
    flag: (flagKey, defaultValue) => flagDetails(flagKey, defaultValue).value,
    flagDetails,
    track: (eventName, data) => client.track(eventName, context, data),
    bootstrap: bootstrap ? { evaluations: client.evaluateAll() } : undefined,
    context: () => context,
    async setContext(next) {
      context = copyContext(next);
      if (!source.request().body && !snapshot()?.isFixed) reload();
      else {
        election.rejoin();
        await refetch();
      }
      return snapshot()?.context === context;
    },
  };
};

/**
 * Creates a client and starts fetching, unless the page is hidden: then it waits until it is shown. Throws a
 * TypeError that names a bad option.
 */
export const createBrowserClient = (options: BrowserClientOptions): PageClient =>
  createPageClient(options, globalThis);
