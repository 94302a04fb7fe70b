import type { ServerResponse } from 'node:http';
import type { KeyGrant, PublishedRuleset, RulesetLookup, StreamObserver } from '../ports.ts';
import type { StreamDialect } from './stream-messages.ts';

/** One open stream. */
export interface Subscriber {
  readonly grant: KeyGrant;
  readonly apiKey: string;
  /** Streams with the same `countKey` share the limit of open streams per key. */
  readonly countKey: string;
  readonly response: ServerResponse;
  readonly dialect: StreamDialect;
  /** The version that the client says it has. */
  readonly lastVersion: number | undefined;
}

/** The streams that get the same messages: one environment, one dialect, and keys that see the same flags. */
export interface Group {
  readonly name: string;
  join(subscriber: Subscriber): void;
  leave(subscriber: Subscriber): void;
  isEmpty(): boolean;
  /** Unsubscribes. */
  close(): void;
}

export interface GroupDeps {
  readonly name: string;
  /** Any grant of the group; all see the same ruleset. */
  readonly grant: KeyGrant;
  readonly dialect: StreamDialect;
  readonly lookup: RulesetLookup;
  readonly write: (subscriber: Subscriber, bytes: Uint8Array) => void;
  readonly coalesceMs: number;
  readonly observer?: StreamObserver | undefined;
}

const CHANGED_FLAGS_MAX = 100;
/**
 * This many clients may fetch at the same time; for each further client, the fetches are spread over one more
 * millisecond.
 */
const FETCHES_AT_ONCE = 1_000;
const SPREAD_MAX_MS = 5_000;
/** The longest ruleset that is sent along with a notification (decisions/0014). */
const SNAPSHOT_BYTES_MAX = 64 * 1024;

/** Sends one notification for the first change at once, and one for all changes that follow within `coalesceMs`. */
export function createGroup(deps: GroupDeps): Group {
  const { name, grant, dialect, lookup, write, coalesceMs, observer } = deps;
  const members = new Set<Subscriber>();
  let changed: Set<string> | undefined;
  let isUnknown = false;
  /** When this process learned of the oldest change that is not sent yet. */
  let pendingSince = Number.POSITIVE_INFINITY;
  let timer: NodeJS.Timeout | undefined;
  let notifiedAt = Number.NEGATIVE_INFINITY;

  const notify = async (): Promise<void> => {
    timer = undefined;
    notifiedAt = performance.now();
    const keys = isUnknown || changed === undefined ? [] : [...changed];
    changed = undefined;
    isUnknown = false;
    const since = pendingSince;
    pendingSince = Number.POSITIVE_INFINITY;
    const found = lookup.current(grant);
    const published = found instanceof Promise ? await found : found;
    const bytes = Buffer.from(await messageOf(published, visible(published, keys)));
    const streams = members.size;
    for (const member of members) write(member, bytes);
    observer?.notified(streams, performance.now() - since);
  };

  const messageOf = async (published: PublishedRuleset, keys: readonly string[]): Promise<string> => {
    if (dialect.snapshot !== undefined && published.jsonBytes <= SNAPSHOT_BYTES_MAX) {
      const answer = Buffer.from(await published.body('json', 'identity')).toString();
      return dialect.snapshot(published, keys, answer.slice('{"data":'.length, -'}'.length));
    }
    const spreadMs = Math.min(SPREAD_MAX_MS, Math.max(0, members.size - FETCHES_AT_ONCE));
    return dialect.updated(published, keys, spreadMs);
  };

  const stop = lookup.subscribe(grant.environmentId, ({ changedFlags, since = performance.now() }) => {
    pendingSince = Math.min(pendingSince, since);
    if (changedFlags.length === 0) isUnknown = true;
    changed ??= new Set();
    for (const key of changedFlags) changed.add(key);
    if (timer !== undefined) return;
    const waitMs = notifiedAt + coalesceMs - performance.now();
    // After a failure, the next version or heartbeat notifies the clients.
    if (waitMs <= 0) notify().catch(() => {});
    else timer = setTimeout(() => notify().catch(() => {}), waitMs).unref();
  });

  /** Hides the names of flags that `client` keys do not see. */
  const visible = (published: PublishedRuleset, keys: readonly string[]): readonly string[] => {
    if (keys.length > CHANGED_FLAGS_MAX) return [];
    if (grant.kind !== 'client' || keys.length === 0) return keys;
    const seen = new Set(published.evaluator.ruleset.flags.map((flag) => flag.key));
    return keys.filter((key) => seen.has(key));
  };

  return {
    name,
    join: (subscriber) => void members.add(subscriber),
    leave: (subscriber) => void members.delete(subscriber),
    isEmpty: () => members.size === 0,
    close() {
      clearTimeout(timer);
      stop();
    },
  };
}
