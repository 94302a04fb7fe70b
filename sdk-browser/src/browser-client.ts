import {
  type ClientConfig,
  createClient,
  type Fault,
  jsonCodec,
  type PageClient,
  type Ports,
} from '@flagsvc/sdk-core/client';
import { createLazyStream } from './lazy-stream.ts';
import { type BrowserClientOptions, copyContext, parseBrowserOptions } from './options.ts';
import { createPageCache } from './page-cache.ts';
import { createPageFetch } from './page-fetch.ts';
import { followPage } from './page-lifecycle.ts';
import { createPageSource } from './page-source.ts';
import { createTabs } from './tabs.ts';
import { VERSION } from './version.ts';
import { hashText, systemClock, type World } from './world.ts';

/** A client in a page. */
export type BrowserClient = PageClient;

/** The rest of a page's world, which tests replace. */
export type PagePorts = Pick<Ports, 'clock' | 'random'> & {
  readonly newSignal: (timeoutMs: number) => ReturnType<Ports['newSignal']>;
};

const systemPorts: PagePorts = {
  clock: systemClock,
  random: Math.random,
  newSignal: (timeoutMs) => AbortSignal.timeout(timeoutMs),
};

/** Builds the client of a page from the machine of sdk-core. */
export const createPageClient = (
  options: BrowserClientOptions,
  world: World,
  { clock, random, newSignal }: PagePorts = systemPorts,
): BrowserClient => {
  const { mode, logger, ...settings } = parseBrowserOptions(options);
  const { apiKey, baseUrl, bootstrap, app } = settings;
  let { context } = settings;
  /** Whom an answer belongs to: nobody in particular, if it is a ruleset. */
  const owner = () => (mode.request(context).body ? hashText(JSON.stringify(context)) : '');
  const name = `flagsvc-${hashText(`${apiKey} ${baseUrl}`)}`;
  const log = (fault: Fault) => {
    const text = `flagsvc: ${fault.code} ${fault.detail}`;
    if (logger) logger(fault, text);
    else if (logger === undefined) console.warn(text);
  };
  const cache = settings.cache ? createPageCache(world, name, owner, clock.now) : undefined;
  const saved = bootstrap === undefined ? cache?.load() : { data: bootstrap, tag: null };
  const stream = settings.streaming ? createLazyStream(() => config) : undefined;
  const tabs = createTabs(world, { ...settings, clock, saved, stream }, () => name + owner());
  let isTold = false;
  const source = createPageSource(mode, () => context);
  const config: ClientConfig = {
    ...settings,
    fetch: createPageFetch(world, settings.fetch, ({ status, headers }) => {
      if (status === 304) tabs.share();
      if (!isTold && headers.get('x-flagsvc-warnings') === 'server-key') {
        isTold = true;
        log({
          code: 'SERVER_KEY',
          detail: 'use a key of kind client in a page, this one shows every flag',
        });
      }
    }),
    newSignal: () => newSignal(settings.requestTimeoutMs),
    clock,
    random,
    codec: jsonCodec,
    log,
    sdk: {
      name: 'flagsvc-browser',
      version: VERSION,
      // Unlike `crypto.randomUUID`, which is missing in pages that came over plain HTTP.
      instance_id: hashText(`${random()}`) + hashText(`${random()}`),
      ...(app && { app }),
    },
    saved,
    save(payload) {
      cache?.save(payload);
      tabs.share(payload);
    },
    lifecycles: [followPage(world, tabs)],
  };
  const machine = createClient(config, source);
  /** The one that the answers are for. */
  const answered = () => machine.snapshot()?.context ?? context;
  return {
    ...machine,
    flag: (flagKey, defaultValue) => machine.flag(flagKey, answered(), defaultValue),
    flagDetails: (flagKey, defaultValue, unseen) =>
      machine.flagDetails(flagKey, answered(), defaultValue, unseen),
    evaluateAll: () => machine.evaluateAll(context),
    track: (eventName, data) => machine.track(eventName, context, data),
    context: () => context,
    async setContext(next) {
      context = copyContext(next);
      if (!source.request().body && !machine.snapshot()?.isFixed) return machine.reload();
      tabs.rejoin();
      return machine.refetch();
    },
  };
};

/**
 * Creates a client and starts fetching, unless the page is hidden: then it waits until it is shown. Throws a
 * TypeError that names a bad option.
 */
export const createBrowserClient = (options: BrowserClientOptions): BrowserClient =>
  createPageClient(options, globalThis);
