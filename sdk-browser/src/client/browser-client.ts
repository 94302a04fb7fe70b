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
import { logLine } from './log-line.ts';
import { remoteMode } from './mode.ts';
import { BROWSER_DEFAULTS, type BrowserClientOptions, copyContext } from './options.ts';
import { VERSION } from './version.ts';

/**
 * Creates a client outside a web page, such as in an app or an extension. `globals` replaces the `globalThis` that
 * `createBrowserClient` uses. Throws a TypeError that names an invalid option.
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
  /** Identifies the user of the answers. With local evaluation, the result is the same for all users. */
  const owner = () => hashText(source.request().body ?? '');
  const name = `flagsvc-${hashText(`${apiKey} ${baseUrl}`)}`;
  const cache = createPageCache(settings.cache ? globals : {}, { name, owner, ...ports });
  const config: ClientConfig = {
    ...settings,
    ...ports,
    fetch: createPageFetch(globals, settings.fetch),
    ...jsonDecoder,
    log(fault: Fault) {
      if (logger) logger(fault, logLine(fault));
    },
    sdk: {
      name: 'flagsvc-browser',
      version: VERSION,
      // Created when it is first sent, because frameworks refuse to prerender code that uses random numbers. Pages
      // served over plain HTTP lack `crypto.randomUUID`.
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
      // Confirms only rulesets to the other tabs, because evaluated answers may be those of another user.
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
  // Without a document the client never fetches, so without a bootstrap it would never have an answer.
  if (bootstrap === undefined && !globals.document) {
    report('NO_DOCUMENT', 'use createPageClient');
    abort();
  }
  if (signal?.aborted) abort();
  const flagDetails: PageClient['flagDetails'] = (flagKey, defaultValue, unseen) =>
    // Events name the user of the answers. Without answers, the client does not read the context.
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
 * Creates a client and starts fetching; if the page is hidden, fetching starts when the page is shown. Throws a
 * TypeError that names an invalid option.
 */
export const createBrowserClient = (options: BrowserClientOptions): PageClient =>
  createPageClient(options, globalThis);
