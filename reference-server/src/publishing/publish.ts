import type {
  KeyDirectory,
  KeyGrant,
  KeyWatcher,
  PublishedRuleset,
  RulesetLookup,
  RulesetNotice,
  ServingPath,
} from '../data-plane/ports.ts';
import { createKeyRing, type KeySource } from './key-ring.ts';
import type { PublisherLog, RulesetSource } from './ports.ts';
import {
  createPublishedEnvironment,
  type PublishedEnvironment,
  type ServedRuleset,
} from './published-environment.ts';
import type { OnVersion } from './version-notifier.ts';

export interface PublisherDeps {
  readonly source: RulesetSource;
  readonly keys: KeySource;
  /** Makes compiled rulesets ready to serve. */
  readonly prepare: ServingPath['prepare'];
  /** `FLAGSVC_API_SECRET_KEY`. */
  readonly apiSecretKey: string;
  /** Wall clock, milliseconds since 1970; default `Date.now`. */
  readonly now?: () => number;
  readonly log?: PublisherLog;
  /** Maximum size of a compiled ruleset in JSON, in bytes; default `RULESET_BYTES_MAX`. */
  readonly bytesMax?: number;
  /** Called when a change is served, with the time since this process learned of it. Absent: nothing. */
  readonly onPublished?: ((durationMs: number) => void) | undefined;
}

/** Keeps each environment's newest ruleset in memory, ready to serve. */
export interface Publisher extends RulesetLookup, KeyDirectory {
  recall(apiKey: string): KeyGrant | undefined;
  current(of: Pick<KeyGrant, 'environmentId' | 'kind'>): PublishedRuleset | Promise<PublishedRuleset>;
  /**
   * Call after a commit, and acknowledge the change when this resolves: until then, `current` returns the previous
   * version, and from then on the new one. Commits that come together are published together.
   */
  afterCommit(environmentIds: readonly string[], changedFlagKeys: readonly string[]): Promise<void>;
  /** Call after a key was revoked, rotated or changed: its next use queries the database. Without an id: all keys. */
  forgetKey(keyId?: string): void;
  /** Size of the environment's newest ruleset in JSON, in bytes; undefined until a client has requested it. */
  sizeOf(environmentId: string): number | undefined;
  /** The version of each environment that a client has requested, in the order of the first requests. */
  served(): readonly ServedRuleset[];
  /**
   * Whether the last change of some environment could not be published, so that it still serves the previous version.
   */
  isFailing(): boolean;
  /** Resolves when everything committed before the call is published. */
  settled(): Promise<void>;
  /** Writes what has not been written yet, and stops. */
  close(): Promise<void>;
}

/**
 * The hard limit of a compiled ruleset ("Limits"). A change that makes a ruleset larger than this is not published,
 * because every client would fetch the ruleset.
 */
export const RULESET_BYTES_MAX = 20 * 1024 * 1024;

const CHANGED_FLAGS_MAX = 100;

export function createPublisher(deps: PublisherDeps): Publisher {
  const { source, log } = deps;
  const now = deps.now ?? Date.now;
  const environments = new Map<string, PublishedEnvironment>();
  const listeners = new Map<string, Set<(notice: RulesetNotice) => void>>();
  const keyWatchers = new Set<KeyWatcher>();
  const ring = createKeyRing({
    source: deps.keys,
    apiSecretKey: deps.apiSecretKey,
    now,
    onError: (error) => log?.error({ err: error }, 'last uses of API keys were not written'),
  });

  const notify: OnVersion = ({ environmentId, version, etag }, changed, since) => {
    const changedFlags = changed.length > CHANGED_FLAGS_MAX ? [] : changed;
    for (const listener of listeners.get(environmentId) ?? []) {
      listener({ environmentId, version, etag, changedFlags, since });
    }
  };

  const open = (environmentId: string): PublishedEnvironment => {
    const environment = createPublishedEnvironment({
      environmentId,
      source,
      prepare: deps.prepare,
      now,
      log,
      bytesMax: deps.bytesMax ?? RULESET_BYTES_MAX,
      onVersion: notify,
      onPublished: deps.onPublished,
    });
    environments.set(environmentId, environment);
    return environment;
  };

  return {
    authenticate: ring.authenticate,
    recall: ring.recall,
    describe: ring.describe,
    isRotated: ({ keyId }) => deps.keys.isLive(keyId, new Date(now()).toISOString()),
    current({ environmentId, kind }) {
      const known = environments.get(environmentId);
      if (known !== undefined) return known.current(kind);
      const opened = open(environmentId);
      return Promise.resolve(opened.current(kind)).catch((error: unknown) => {
        environments.delete(environmentId);
        throw error;
      });
    },
    subscribe(environmentId, listener) {
      const all = listeners.get(environmentId) ?? new Set();
      listeners.set(environmentId, all.add(listener));
      return () => {
        all.delete(listener);
        if (all.size === 0) listeners.delete(environmentId);
      };
    },
    async afterCommit(environmentIds, changedFlagKeys) {
      await Promise.all(environmentIds.map((id) => environments.get(id)?.afterCommit(changedFlagKeys)));
    },
    watchKeys(listener) {
      keyWatchers.add(listener);
      return () => void keyWatchers.delete(listener);
    },
    forgetKey(keyId) {
      const environmentId = ring.forget(keyId);
      for (const listener of keyWatchers) listener(keyId, environmentId);
    },
    sizeOf: (environmentId) => environments.get(environmentId)?.bytes(),
    served: () =>
      [...environments.values()]
        .map((environment) => environment.served())
        .filter((served) => served !== undefined),
    isFailing: () => [...environments.values()].some((environment) => environment.isFailing()),
    async settled() {
      await Promise.all([...environments.values()].map((environment) => environment.settled()));
    },
    async close() {
      await Promise.all([...environments.values()].map((environment) => environment.close()));
      await ring.close();
    },
  };
}
