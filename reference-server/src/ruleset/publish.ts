import type { Ruleset } from '@flagsvc/sdk-core';
import type { KeyGrant, PublishedRuleset, RulesetLookup, RulesetNotice } from '../data-plane/ports.ts';
import { createPublishedRuleset } from '../data-plane/published-ruleset.ts';
import { ApiError } from '../http/errors.ts';
import { clientRuleset, createCompiler, type RulesetRows } from './compile.ts';
import { createKeyRing, type KeySource } from './key-ring.ts';

/** One consistent reading of everything that an environment's ruleset is made from. */
export interface RulesetReading extends RulesetRows {
  readonly epoch: string;
}

/** Where rulesets are read from. */
export interface RulesetSource {
  /** Undefined when the environment does not exist. */
  read(environmentId: string): Promise<RulesetReading | undefined>;
  /** Notes the entity tag under which a version was published. */
  noteEtag(environmentId: string, version: number, etag: string): Promise<void>;
}

/** What the publisher tells the log. */
export interface PublisherLog {
  error(details: object, message: string): void;
}

export interface PublisherDeps {
  readonly source: RulesetSource;
  readonly keys: KeySource;
  /** `FLAGSVC_API_SECRET_KEY`. */
  readonly apiSecretKey: string;
  /** Wall clock, milliseconds since 1970; default `Date.now`. */
  readonly now?: () => number;
  readonly log?: PublisherLog;
  /** Bytes of compiled JSON that are refused; default `RULESET_BYTES_MAX`. */
  readonly bytesMax?: number;
}

/** Keeps each environment's newest ruleset in memory, ready to be sent. */
export interface Publisher extends RulesetLookup {
  /**
   * Call after a committed change, before it is acknowledged: from then on `current` answers with the new version.
   * Returns at once; the work is done right afterwards, once for many changes.
   */
  afterCommit(environmentIds: readonly string[], changedFlagKeys: readonly string[]): void;
  /** Call after a key was revoked, rotated or changed: the next use asks the database again. Without an id, all. */
  forgetKey(keyId?: string): void;
  /** Resolves when everything that was committed before the call is published. */
  settled(): Promise<void>;
  /** Writes what is outstanding and stops. */
  close(): Promise<void>;
}

/** The hard limit of a compiled ruleset ("Limits"): an over-sized one must not reach every client at once. */
export const RULESET_BYTES_MAX = 20 * 1024 * 1024;

const CHANGED_FLAGS_MAX = 100;
const RETRY_DELAY_MS = 1_000;

/** One environment. `built` reaches `wanted` when all that was committed is published. */
interface Slot {
  readonly environmentId: string;
  wanted: number;
  built: number;
  building: Promise<void> | undefined;
  changed: Set<string>;
  readonly compile: ReturnType<typeof createCompiler>;
  ruleset: Ruleset | undefined;
  server: PublishedRuleset | undefined;
  client: PublishedRuleset | undefined;
}

export function createPublisher(deps: PublisherDeps): Publisher {
  const { source, log } = deps;
  const now = deps.now ?? Date.now;
  const slots = new Map<string, Slot>();
  const listeners = new Map<string, Set<(notice: RulesetNotice) => void>>();
  const ring = createKeyRing({
    source: deps.keys,
    apiSecretKey: deps.apiSecretKey,
    now,
    onError: (error) => log?.error({ err: error }, 'last uses of API keys were not written'),
  });
  const keyWatchers = new Set<(keyId: string | undefined) => void>();
  let retry: NodeJS.Timeout | undefined;
  let closed = false;

  const build = async (slot: Slot): Promise<void> => {
    const target = slot.wanted;
    const changed = [...slot.changed];
    slot.changed.clear();
    const before = slot.server;
    try {
      await publish(slot);
      slot.built = target;
    } catch (error) {
      // The last good version goes on being served; with none, whoever asked hears of it.
      if (slot.server === undefined) {
        slots.delete(slot.environmentId);
        throw error;
      }
      for (const key of changed) slot.changed.add(key);
      slot.built = target;
      log?.error({ err: error, environment_id: slot.environmentId }, 'the ruleset was not published');
      if (!closed) retry ??= setTimeout(retryAll, RETRY_DELAY_MS).unref();
    }
    if (slot.server === undefined || slot.server === before) return;
    if (before !== undefined) notify(slot.server, changed);
    await source
      .noteEtag(slot.environmentId, slot.server.version, slot.server.etag)
      .catch((error: unknown) => {
        log?.error({ err: error }, 'the entity tag was not noted');
      });
  };

  const publish = async (slot: Slot): Promise<void> => {
    const reading = await source.read(slot.environmentId);
    if (reading === undefined) throw new ApiError('ENVIRONMENT_NOT_FOUND');
    if (slot.server?.version === reading.version && slot.server.epoch === reading.epoch) return;
    const ruleset = slot.compile(reading, new Date(now()).toISOString());
    const published = createPublishedRuleset(ruleset, reading.epoch);
    const bytes = (await published.body('json', 'identity')).byteLength;
    if (bytes > (deps.bytesMax ?? RULESET_BYTES_MAX) && slot.server !== undefined) {
      throw new Error(`The compiled ruleset has ${bytes} bytes, more than the limit.`);
    }
    slot.ruleset = ruleset;
    slot.server = published;
    slot.client = undefined;
  };

  const notify = ({ environmentId, version, etag }: PublishedRuleset, changed: readonly string[]): void => {
    const changedFlags = changed.length > CHANGED_FLAGS_MAX ? [] : changed;
    for (const listener of listeners.get(environmentId) ?? []) {
      listener({ environmentId, version, etag, changedFlags });
    }
  };

  /** Builds until all that was committed before the call is published: at most the build in progress and one more. */
  const catchUp = async (slot: Slot): Promise<void> => {
    const target = slot.wanted;
    while (slot.built < target) {
      slot.building ??= build(slot).finally(() => {
        slot.building = undefined;
      });
      await slot.building;
    }
  };

  const retryAll = (): void => {
    retry = undefined;
    for (const slot of slots.values()) {
      slot.wanted += 1;
      catchUp(slot).catch(() => {});
    }
  };

  const openSlot = (environmentId: string): Slot => {
    const slot: Slot = {
      environmentId,
      wanted: 1,
      built: 0,
      building: undefined,
      changed: new Set(),
      compile: createCompiler(),
      ruleset: undefined,
      server: undefined,
      client: undefined,
    };
    slots.set(environmentId, slot);
    return slot;
  };

  const pick = (slot: Slot, grant: KeyGrant): PublishedRuleset => {
    if (grant.kind !== 'client') return slot.server!;
    slot.client ??= createPublishedRuleset(clientRuleset(slot.ruleset!), slot.server!.epoch);
    return slot.client;
  };

  return {
    authenticate: ring.authenticate,
    current(grant) {
      const slot = slots.get(grant.environmentId) ?? openSlot(grant.environmentId);
      if (slot.built === slot.wanted) return pick(slot, grant);
      return catchUp(slot).then(() => pick(slot, grant));
    },
    subscribe(environmentId, listener) {
      const all = listeners.get(environmentId) ?? new Set();
      listeners.set(environmentId, all.add(listener));
      return () => {
        all.delete(listener);
        if (all.size === 0) listeners.delete(environmentId);
      };
    },
    afterCommit(environmentIds, changedFlagKeys) {
      for (const environmentId of environmentIds) {
        const slot = slots.get(environmentId);
        if (slot === undefined) continue;
        slot.wanted += 1;
        for (const key of changedFlagKeys) slot.changed.add(key);
        catchUp(slot).catch(() => {});
      }
    },
    watchKeys(listener) {
      keyWatchers.add(listener);
      return () => void keyWatchers.delete(listener);
    },
    forgetKey(keyId) {
      ring.forget(keyId);
      for (const listener of keyWatchers) listener(keyId);
    },
    async settled() {
      await Promise.all([...slots.values()].map((slot) => catchUp(slot).catch(() => {})));
    },
    async close() {
      closed = true;
      clearTimeout(retry);
      await this.settled();
      await ring.close();
    },
  };
}
