import { setImmediate } from 'node:timers/promises';
import type { PublishedRuleset } from '../data-plane/ports.ts';
import type { PublisherLog, RulesetSource } from './ports.ts';

/** Receives a version, the flags that it changed, and when this process learned of the change (`performance.now()`). */
export type OnVersion = (
  published: PublishedRuleset,
  changedFlags: readonly string[],
  since: number | undefined,
) => void;

export interface VersionNotifierDeps {
  readonly environmentId: string;
  /**
   * The newest version and, once a client key has requested it, its part for client keys; undefined before the first.
   */
  readonly newest: () =>
    | { readonly server: PublishedRuleset; readonly client: PublishedRuleset | undefined }
    | undefined;
  readonly onVersion: OnVersion;
  readonly recordEtag: RulesetSource['recordEtag'];
  readonly log: PublisherLog | undefined;
}

/** Notifies subscribers of an environment's new versions, and records the versions' entity tags. */
export interface VersionNotifier {
  /**
   * Call after a new version is served, with the keys of the flags that it changed and when this process learned of the
   * change.
   */
  notify(changedFlagKeys: readonly string[], since: number | undefined): void;
  /** Resolves when all notifications are sent. */
  settled(): Promise<void>;
  /** Sends the outstanding notifications, and records the last entity tag. */
  close(): Promise<void>;
}

/** Delays the write of an entity tag, so that many versions a second share one write. */
const RECORD_DELAY_MS = 1_000;

export function createVersionNotifier(deps: VersionNotifierDeps): VersionNotifier {
  const { environmentId, newest, log } = deps;
  const pendingKeys = new Set<string>();
  let pendingSince: number | undefined;
  let notified: PublishedRuleset | undefined;
  let recorded: PublishedRuleset | undefined;
  let notifying: Promise<void> | undefined;
  let timer: NodeJS.Timeout | undefined;
  let recording: Promise<void> | undefined;
  let isClosed = false;

  const start = (): void => {
    notifying ??= notifyAll().finally(() => {
      notifying = undefined;
      // A newer version may have been published meanwhile.
      if (notified !== newest()?.server) start();
    });
  };

  /** Notifies of the newest version as soon as the bodies that clients will fetch have been made. */
  const notifyAll = async (): Promise<void> => {
    // The first version has no subscribers yet; the request that loaded it gets it.
    if (notified === undefined) return recordSoon(newest()!.server);
    // The request that waits for this commit goes first.
    await setImmediate();
    for (let now = newest()!; notified !== now.server; now = newest()!) {
      recordSoon(now.server);
      const keys = [...pendingKeys];
      pendingKeys.clear();
      const since = pendingSince;
      pendingSince = undefined;
      const bodies = [now.server.prepareBodies?.(), now.client?.prepareBodies?.()];
      await Promise.all(bodies).catch((error: unknown) => {
        log?.error({ err: error, environment_id: environmentId }, 'the ruleset was not compressed');
      });
      try {
        deps.onVersion(now.server, keys, since);
      } catch (error) {
        log?.error({ err: error, environment_id: environmentId }, 'not all subscribers were notified');
      }
    }
  };

  const recordSoon = (published: PublishedRuleset): void => {
    notified = published;
    if (!isClosed) timer ??= setTimeout(record, RECORD_DELAY_MS).unref();
  };

  const record = async (): Promise<void> => {
    clearTimeout(timer);
    timer = undefined;
    const published = notified!;
    recording = deps.recordEtag(environmentId, published.version, published.etag).then(
      () => {
        recorded = published;
      },
      (error: unknown) => log?.error({ err: error }, 'the entity tag was not recorded'),
    );
    await recording;
  };

  const settled = async (): Promise<void> => {
    while (notifying !== undefined) await notifying;
  };

  return {
    notify(changedFlagKeys, since) {
      pendingSince ??= since;
      for (const key of changedFlagKeys) pendingKeys.add(key);
      start();
    },
    settled,
    async close() {
      isClosed = true;
      await settled();
      await recording;
      if (recorded !== notified) await record();
    },
  };
}
