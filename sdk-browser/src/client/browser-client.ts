import type { Context } from '@flagsvc/sdk-core';
import {
  createClient,
  demand,
  type Fault,
  jsonCodec,
  type LifecycleHandles,
  type PageClient,
  parseOptions,
  type SavedPayload,
} from '@flagsvc/sdk-core/client';
import { createPageCache } from '../page/page-cache.ts';
import { createPageFetch } from '../page/page-fetch.ts';
import { createPageLifecycle } from '../page/page-lifecycle.ts';
import { createPageSource } from '../page/page-source.ts';
import { hashText, type PagePorts, type PageWorld, systemPorts } from '../page/world.ts';
import { remoteMode } from './mode.ts';
import { BROWSER_DEFAULTS, type BrowserClientOptions, copyContext } from './options.ts';
import { VERSION } from './version.ts';

/**
 * Creates a client in a world of your own, such as an app's or an extension's: what `createBrowserClient` finds on
 * `globalThis` is handed in. Throws a TypeError that names a bad option.
 */
export const createPageClient = (
  options: BrowserClientOptions,
  world: PageWorld,
  ports: PagePorts = systemPorts,
): PageClient => {
  const settings = parseOptions(options, BROWSER_DEFAULTS);
  const {
    apiKey,
    baseUrl,
    bootstrap,
    signal,
    mode = remoteMode(),
    logger = (_, text) => console.warn(text),
  } = settings;
  demand(mode.load, 'mode', 'must be remoteMode() or localMode()');
  let context = copyContext(settings.context);
  let instanceId: string | undefined;
  const source = createPageSource(mode, () => context);
  /** Whom an answer belongs to: nobody in particular, if it is a ruleset. */
  const owner = () => hashText(source.request().body ?? '');
  const name = `flagsvc-${hashText(`${apiKey} ${baseUrl}`)}`;
  const log = (fault: Fault) => {
    if (logger) logger(fault, `flagsvc: ${fault.code} ${fault.detail}`);
  };
  const cache = createPageCache(settings.cache ? world : {}, name, owner, ports.clock.now);
  const config = {
    ...settings,
    ...ports,
    fetch: createPageFetch(world, settings.fetch, ({ status, headers }) => {
      // Only rulesets are confirmed; what a user was answered is not, and may have been another user.
      if (status === 304 && !source.request().body) page.share();
      if (headers.get('x-flagsvc-warnings') === 'server-key')
        machine.report('SERVER_KEY', 'use a key of kind client');
    }),
    codec: jsonCodec,
    log,
    sdk: {
      name: 'flagsvc-browser',
      version: VERSION,
      // Drawn when it is first sent: frameworks refuse to prerender what throws dice. Not by `crypto.randomUUID`,
      // which is missing in pages that came over plain HTTP.
      get instance_id() {
        instanceId ??= hashText(`${ports.random()}${ports.random()}`);
        return instanceId;
      },
      ...(settings.app && { app: settings.app }),
    },
    saved: bootstrap === undefined ? cache.load() : { data: bootstrap, tag: null },
    save(payload: SavedPayload) {
      cache.save(payload);
      page.share(payload);
    },
    lifecycles: [
      (handles: LifecycleHandles) => page.follow(handles),
      // The signal may outlive many clients.
      () => () => signal?.removeEventListener('abort', abort),
    ],
  };
  const page = createPageLifecycle(world, config, () => name + owner());
  const machine = createClient(config, source);
  const abort = () => machine.close({ timeoutMs: 0 });
  signal?.addEventListener('abort', abort);
  // A server renders from a bootstrap. Without one nothing would ever come, and nobody would know why.
  const isLost = bootstrap === undefined && !world.document;
  if (isLost) machine.report('NO_DOCUMENT', 'hand one to createPageClient');
  if (isLost || signal?.aborted) abort();
  const flagDetails: PageClient['flagDetails'] = (flagKey, defaultValue, unseen) =>
    // The context that the answers are for; without answers, none is looked at.
    machine.flagDetails(flagKey, machine.snapshot()?.context as Context, defaultValue, unseen);
  return {
    ...machine,
    flag: (flagKey, defaultValue) => flagDetails(flagKey, defaultValue).value,
    flagDetails,
    track: (eventName, data) => machine.track(eventName, context, data),
    bootstrap: bootstrap ? { evaluations: machine.evaluateAll() } : undefined,
    context: () => context,
    async setContext(next) {
      context = copyContext(next);
      if (!source.request().body && !machine.snapshot()?.isFixed) machine.reload();
      else {
        page.rejoin();
        await machine.refetch();
      }
      return machine.snapshot()?.context === context;
    },
  };
};

/**
 * Creates a client and starts fetching, unless the page is hidden: then it waits until it is shown. Throws a
 * TypeError that names a bad option.
 */
export const createBrowserClient = (options: BrowserClientOptions): PageClient =>
  createPageClient(options, globalThis);
