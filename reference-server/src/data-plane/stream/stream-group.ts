import type { ServerResponse } from 'node:http';
import type { KeyGrant, PublishedRuleset, RulesetLookup } from '../ports.ts';
import type { StreamDialect } from './stream-messages.ts';

/** One open stream. */
export interface Subscriber {
  readonly grant: KeyGrant;
  readonly apiKey: string;
  /** The streams that share it are counted together. */
  readonly countKey: string;
  readonly response: ServerResponse;
  readonly dialect: StreamDialect;
  /** The version that the client says it has. */
  readonly lastVersion: number | undefined;
}

/** Streams that are told the same: of one environment, one dialect, and keys that see the same. */
export interface Group {
  readonly name: string;
  join(subscriber: Subscriber): void;
  leave(subscriber: Subscriber): void;
  isEmpty(): boolean;
  /** Stops listening. */
  close(): void;
}

export interface GroupDeps {
  readonly name: string;
  /** Any grant of the group: all of them see the same ruleset. */
  readonly grant: KeyGrant;
  readonly dialect: StreamDialect;
  readonly lookup: RulesetLookup;
  readonly write: (subscriber: Subscriber, bytes: Uint8Array) => void;
  readonly coalesceMs: number;
}

const CHANGED_FLAGS_MAX = 100;
/** So many clients may fetch at once; with more of them, each further one makes the spread a millisecond longer. */
const AT_ONCE = 1_000;
const SPREAD_MAX_MS = 5_000;
/** A ruleset up to this length goes with the news to those who ask for it (decisions/0014). */
const SNAPSHOT_BYTES_MAX = 64 * 1024;

/** The first change is told at once, those that follow within `coalesceMs` together. */
export function createGroup(deps: GroupDeps): Group {
  const { name, grant, dialect, lookup, write, coalesceMs } = deps;
  const members = new Set<Subscriber>();
  let changed: Set<string> | undefined;
  let isUnknown = false;
  let timer: NodeJS.Timeout | undefined;
  let toldAt = Number.NEGATIVE_INFINITY;

  const tell = async (): Promise<void> => {
    timer = undefined;
    toldAt = performance.now();
    const keys = isUnknown || changed === undefined ? [] : [...changed];
    changed = undefined;
    isUnknown = false;
    const found = lookup.current(grant);
    const published = found instanceof Promise ? await found : found;
    const bytes = Buffer.from(await messageOf(published, visible(published, keys)));
    for (const member of members) write(member, bytes);
  };

  const messageOf = async (published: PublishedRuleset, keys: readonly string[]): Promise<string> => {
    if (dialect.snapshot !== undefined && published.jsonBytes <= SNAPSHOT_BYTES_MAX) {
      const answer = Buffer.from(await published.body('json', 'identity')).toString();
      return dialect.snapshot(published, keys, answer.slice('{"data":'.length, -'}'.length));
    }
    const spreadMs = Math.min(SPREAD_MAX_MS, Math.max(0, members.size - AT_ONCE));
    return dialect.updated(published, keys, spreadMs);
  };

  const stop = lookup.subscribe(grant.environmentId, ({ changedFlags }) => {
    if (changedFlags.length === 0) isUnknown = true;
    changed ??= new Set();
    for (const key of changedFlags) changed.add(key);
    if (timer !== undefined) return;
    const waitMs = toldAt + coalesceMs - performance.now();
    // What cannot be read now is told with the next version or heartbeat.
    if (waitMs <= 0) tell().catch(() => {});
    else timer = setTimeout(() => tell().catch(() => {}), waitMs).unref();
  });

  /** Keys of kind `client` do not hear the names of flags that they do not see. */
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
