import {
  ApiError,
  type PublishedRuleset,
  type RulesetNotice,
  type ServingPath,
} from '@flagsvc/reference-server/data-plane';
import { type Clock, createRequestScheduler, type Reply, within } from '@flagsvc/sdk-core/client';
import type { SyncMode } from '../config/variables.ts';
import { type Described, describeKeys, type Identity } from '../keys/describe-keys.ts';
import { SAVE_LIMIT_MS } from '../platform/json-file.ts';
import { createRequestPace } from '../platform/request-pace.ts';
import type { Upstream, View } from '../upstream/upstream.ts';
import { createUpstreamStream } from '../upstream/upstream-stream.ts';
import type { EnvironmentFiles } from './environment-files.ts';
import { createEnvironmentViews } from './environment-views.ts';
import type { RulesetRefusal } from './ruleset-view.ts';
import type { TrustedKeys } from './trusted-keys.ts';

/** One environment: the rulesets of the server, kept up to date and served from memory. */
export interface RelayEnvironment {
  identity(): Identity | undefined;
  describe(keys: readonly string[]): Promise<Described>;
  /** Rejects with SERVICE_UNAVAILABLE until there is a ruleset. */
  current(view: View): PublishedRuleset | Promise<PublishedRuleset>;
  signatureOf(published: PublishedRuleset): string | undefined;
  subscribe(listener: (notice: RulesetNotice) => void): () => void;
  state(): EnvironmentState;
  /** Serves what is on disk, and begins to follow the server. Resolves when the disk has been read. */
  start(): Promise<void>;
  stop(): void;
}

/** What is known about an environment, for health checks and metrics. */
export interface EnvironmentState {
  readonly environmentId: string | undefined;
  /** The version in use; undefined when there is none. */
  readonly version: number | undefined;
  /** Milliseconds since 1970 of the last answer of the server about the ruleset; undefined: none since the start. */
  readonly confirmedAt: number | undefined;
  readonly isStreaming: boolean;
  /** Why the last answer was not used; undefined: it was used, or there was none. */
  readonly refusal: RulesetRefusal | undefined;
}

export interface RelayEnvironmentOptions {
  readonly apiKey: string;
  readonly upstream: Upstream;
  readonly trusted: TrustedKeys;
  readonly files: EnvironmentFiles;
  readonly prepare: ServingPath['prepare'];
  readonly mode: SyncMode;
  readonly clock: Clock;
  readonly random: () => number;
  readonly log: {
    info(details: object, message: string): void;
    warn(details: object, message: string): void;
    error(details: object, message: string): void;
  };
  /** Called with the environment's id when it becomes known: at the start if it is on disk, otherwise with the first answer. */
  readonly onIdentified: (environmentId: string) => void;
  /** Called when the server says that an API key of the environment has changed. */
  readonly onKeysChanged: () => void;
}

/** At most 4 polls a minute. While a stream announces changes, each of its signs of life defers the next poll. */
const POLL_MS = 15_000;
const RETRY_BASE_MS = 1_000;
/** The server names its version once a minute. A stream that no longer does is kept alive by something on the way. */
const NEWS_MS = 90_000;
const CHANGED_FLAGS_MAX = 10_000;
const NO_RULESET = {
  message: 'The relay has no ruleset yet, because the server has not answered; try again.',
  headers: { 'retry-after': '5' },
};

export function createRelayEnvironment(options: RelayEnvironmentOptions): RelayEnvironment {
  const { apiKey, upstream, trusted, files, clock, random, log } = options;
  const views = createEnvironmentViews(options);
  const takeRoom = createRequestPace(clock);
  const listeners = new Set<(notice: RulesetNotice) => void>();
  let identity: Identity | undefined;
  let confirmedAt: number | undefined;
  let isStreaming = false;
  let announced: string | undefined;
  let announcedAt = 0;
  /** Flags that changed since the version in use, as the stream names them; undefined: unknown. */
  let changed: Set<string> | undefined;
  let catchUpTimer: unknown;

  const describe = async (keys: readonly string[]): Promise<Described> => {
    const described = await describeKeys(upstream, keys, identity?.environmentId);
    if ('keys' in described && identity === undefined) become(described.identity);
    return described;
  };

  const become = (found: Identity): void => {
    identity = found;
    views.open('server', found.environmentId);
    files.saveIdentity(apiKey, found);
    options.onIdentified(found.environmentId);
  };

  /** Fetches all views in use. Resolves to the worst reply. */
  const fetchAll = async (): Promise<Reply> => {
    if (identity === undefined) {
      const described = await describe([apiKey]);
      if ('refusedWith' in described) return { status: described.refusedWith };
    }
    const before = views.current('server');
    const { replies, isNew } = await views.fetchAll();
    if (isNew && before !== undefined) notify();
    if (isNew) {
      changed = new Set();
      files.saveIdentity(apiKey, identity!);
      trusted.save();
    }
    return replies.find((reply) => !isGood(reply)) ?? replies[0]!;
  };

  const notify = (): void => {
    const { environmentId, version, etag } = views.current('server')!;
    const changedFlags = changed === undefined ? [] : [...changed];
    for (const listener of listeners) listener({ environmentId, version, etag, changedFlags });
  };

  let lastStatus: number | undefined;
  const settle = (reply: Reply): number | undefined => {
    if (isGood(reply)) {
      confirmedAt = clock.now();
      if (lastStatus !== undefined) log.info(describeState(), 'the server answers again');
      lastStatus = undefined;
      return POLL_MS;
    }
    const { status, code, detail } = reply;
    if (lastStatus !== status) log.warn({ ...describeState(), status, code, detail }, explain(reply));
    lastStatus = status;
    return undefined;
  };
  const describeState = () => ({ environment_id: identity?.environmentId });
  const scheduler = createRequestScheduler({ clock, random, retryBaseMs: RETRY_BASE_MS }, fetchAll, settle);

  const catchUp = async (): Promise<void> => {
    catchUpTimer = undefined;
    // A fetch in flight may return the announced version or an older one.
    await scheduler.idle();
    if (announced === views.tag()) return;
    const waitMs = takeRoom();
    if (waitMs > 0) catchUpTimer = clock.setTimer(() => void catchUp(), waitMs);
    else await scheduler.run();
  };

  const stream = createUpstreamStream({
    upstream,
    clock,
    random,
    listener: {
      announced(tag, changedFlags) {
        isStreaming = true;
        announced = tag;
        announcedAt = clock.monotonic();
        if (tag === views.tag()) return;
        changed = withFlags(changed, changedFlags);
        if (catchUpTimer === undefined) void catchUp();
      },
      // Announcements of keys may have been missed before.
      opened: options.onKeysChanged,
      keysChanged: options.onKeysChanged,
      alive() {
        const isFresh = clock.monotonic() - announcedAt < NEWS_MS;
        if (announced !== undefined && announced === views.tag() && isFresh) scheduler.schedule(POLL_MS);
      },
      ended() {
        isStreaming = false;
        announced = undefined;
        changed = undefined;
      },
    },
  });

  /** The first ruleset of a view, fetched now. */
  const fetchFirst = async (view: View): Promise<PublishedRuleset> => {
    if (identity !== undefined) views.open(view, identity.environmentId);
    await scheduler.idle();
    if (views.current(view) === undefined) await scheduler.run();
    const found = views.current(view);
    if (found === undefined) throw new ApiError('SERVICE_UNAVAILABLE', NO_RULESET);
    // What was served once survives the end of this process.
    await within({ clock }, SAVE_LIMIT_MS, files.settled());
    return found;
  };

  return {
    identity: () => identity,
    describe,
    current: (view) => views.current(view) ?? fetchFirst(view),
    signatureOf: views.signatureOf,
    subscribe(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    state: () => ({
      environmentId: identity?.environmentId,
      version: views.current('server')?.version,
      confirmedAt,
      isStreaming,
      refusal: views.refusal(),
    }),
    async start() {
      identity = await files.readIdentity(apiKey);
      if (identity !== undefined) {
        options.onIdentified(identity.environmentId);
        views.open('server', identity.environmentId);
        const verifier = trusted.list().length > 0 ? await trusted.verifier(upstream) : undefined;
        if (verifier !== undefined) await views.restore(identity.environmentId, verifier);
      }
      scheduler.schedule(0);
      if (options.mode === 'stream') stream.start();
    },
    stop() {
      scheduler.stop();
      stream.stop();
      clock.clearTimer(catchUpTimer);
    },
  };
}

/** The flags and these; undefined: unknown, as it is if there are too many to remember. */
function withFlags(known: Set<string> | undefined, keys: readonly string[]): Set<string> | undefined {
  if (known === undefined || keys.length === 0 || known.size + keys.length > CHANGED_FLAGS_MAX)
    return undefined;
  return new Set([...known, ...keys]);
}

function isGood({ status }: Reply): boolean {
  return status === 200 || status === 304;
}

function explain({ status }: Reply): string {
  if (status === 401) return 'the server refuses a key of FLAGSVC_RELAY_KEYS: it was revoked or has expired';
  if (status === 403) return 'the server refuses a key of FLAGSVC_RELAY_KEYS: it must be of kind "relay"';
  if (status === 404)
    return 'no server of this version answers at FLAGSVC_RELAY_UPSTREAM_URL; an older server or another relay cannot be followed';
  return 'the server does not answer; the relay serves what it has';
}
