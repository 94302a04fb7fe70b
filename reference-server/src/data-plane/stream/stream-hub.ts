import { ApiError } from '../../http/errors.ts';
import type { KeyGrant, PublishedRuleset, RulesetLookup, StreamEnd, StreamObserver } from '../ports.ts';
import { createGroup, type Group, type Subscriber } from './stream-group.ts';
import type { GoodbyeReason } from './stream-messages.ts';

/** How many streams may be open, and how they are kept alive. */
export interface StreamSettings {
  /** Maximum open streams of one API key. Default 100. */
  readonly maxPerKey: number;
  /** Maximum open streams of one address with the same `client` key, which many visitors share. Default: `maxPerKey`. */
  readonly maxPerVisitor?: number;
  /**
   * Maximum open streams of one environment; those of `client` keys are counted separately, up to the same number.
   * Default 2,000.
   */
  readonly maxPerEnvironment: number;
  /** Unsent bytes above which a client counts as too slow, and its stream ends. Default 262,144. */
  readonly maxBufferedBytes: number;
  /** How long a client may take to read its goodbye, in milliseconds; then the connection is cut. Default 10,000. */
  readonly lingerMs: number;
  /** Milliseconds between two comment lines; every fourth is a heartbeat instead. Default 15,000. */
  readonly keepAliveMs: number;
  /** Changes within this time, in milliseconds, share one notification. Default 100. */
  readonly coalesceMs: number;
}

export const STREAM_DEFAULTS: StreamSettings = {
  maxPerKey: 100,
  maxPerEnvironment: 2_000,
  maxBufferedBytes: 256 * 1024,
  lingerMs: 10_000,
  keepAliveMs: 15_000,
  coalesceMs: 100,
};

/** Keeps the open streams of this process and notifies them of new versions. */
export interface StreamHub {
  /** Throws RATE_LIMIT_EXCEEDED when the key or the environment already has its maximum of open streams. */
  requireRoom(grant: KeyGrant, countKey: string): void;
  /** Starts the stream. The response's head must not have been sent. */
  open(subscriber: Subscriber, published: PublishedRuleset, headers: Record<string, unknown>): void;
  /** Ends all streams with a goodbye; from then on, every new stream ends as soon as it opens. */
  close(): void;
  /** The number of open streams. */
  count(): number;
}

export interface StreamHubDeps {
  readonly lookup: RulesetLookup;
  readonly now: () => number;
  readonly settings?: Partial<StreamSettings> | undefined;
  /** Absent: nothing is observed. */
  readonly observer?: StreamObserver | undefined;
}

/** Every fourth keep-alive is a heartbeat: by default, one a minute. */
const KEEP_ALIVES_PER_HEARTBEAT = 4;
/**
 * The keep-alive interval is divided into this many parts, so that the server does not write to thousands of streams at
 * once.
 */
const SLOTS = 15;
/** Clients spread their reconnects after a goodbye over this time. */
const RETURN_SPREAD_MS = 10_000;
/** A client that was too slow polls for this time at least, and for twice this time at most. */
const OVERLOAD_PAUSE_MS = 30_000;

export function createStreamHub({ lookup, now, settings, observer }: StreamHubDeps): StreamHub {
  const limits = { ...STREAM_DEFAULTS, ...settings };
  const groups = new Map<string, Group>();
  const counts = new Map<string, number>();
  const members = new Map<Subscriber, { readonly group: Group; readonly slot: number; keepAlives: number }>();
  let timer: NodeJS.Timeout | undefined;
  let tick = 0;
  let opened = 0;
  let isClosed = false;

  const time = (): string => new Date(now()).toISOString();

  const add = (name: string, by: 1 | -1): void => {
    const next = (counts.get(name) ?? 0) + by;
    if (next === 0) counts.delete(name);
    else counts.set(name, next);
  };

  const write = (subscriber: Subscriber, text: string | Uint8Array): void => {
    const { response } = subscriber;
    if (response.destroyed) return;
    response.write(text);
    // A client that does not read must not fill the server's memory.
    if (response.writableLength > limits.maxBufferedBytes) dismiss(subscriber, 'overload');
  };

  const leave = (subscriber: Subscriber, reason: StreamEnd): void => {
    const member = members.get(subscriber);
    if (member === undefined) return;
    members.delete(subscriber);
    observer?.ended(subscriber.grant.kind, reason);
    member.group.leave(subscriber);
    if (member.group.isEmpty()) {
      member.group.close();
      groups.delete(member.group.name);
    }
    for (const name of countNames(subscriber.grant, subscriber.countKey)) add(name, -1);
    if (members.size > 0) return;
    clearInterval(timer);
    timer = undefined;
  };

  const dismiss = (subscriber: Subscriber, reason: GoodbyeReason): void => {
    leave(subscriber, reason);
    const { response, dialect } = subscriber;
    const [least, spread] =
      reason === 'overload' ? [OVERLOAD_PAUSE_MS, OVERLOAD_PAUSE_MS] : [500, RETURN_SPREAD_MS];
    response.end(dialect.goodbye(reason, Math.round(least + Math.random() * spread)));
    const cut = setTimeout(() => response.destroy(), limits.lingerMs).unref();
    response.once('close', () => clearTimeout(cut));
  };

  /** Authenticates the key again, and ends the stream if it has expired or was revoked. */
  const recheckKey = async (subscriber: Subscriber): Promise<boolean> => {
    const grant = await lookup.authenticate(subscriber.apiKey);
    if (grant?.keyId === subscriber.grant.keyId) return true;
    const isRotated = grant === undefined && (await lookup.isRotated?.(subscriber.grant));
    if (members.has(subscriber)) dismiss(subscriber, isRotated === true ? 'rotated' : 'key_revoked');
    return false;
  };

  const keepAlive = async (subscriber: Subscriber, count: number): Promise<void> => {
    if (count % KEEP_ALIVES_PER_HEARTBEAT !== 0) return write(subscriber, ':\n\n');
    if (!(await recheckKey(subscriber))) return;
    const published = await lookup.current(subscriber.grant);
    if (members.has(subscriber)) write(subscriber, subscriber.dialect.heartbeat(published, time()));
  };

  const onTick = (): void => {
    tick += 1;
    for (const [subscriber, member] of members) {
      if (member.slot !== tick % SLOTS) continue;
      member.keepAlives += 1;
      // If the lookup fails, the stream stays, and the next heartbeat tries again.
      keepAlive(subscriber, member.keepAlives).catch(() => {});
    }
  };

  const groupOf = ({ grant, dialect }: Subscriber): Group => {
    const name = `${dialect.name} ${grant.kind === 'client' ? 'client' : 'server'} ${grant.environmentId}`;
    let group = groups.get(name);
    if (group === undefined) {
      const { coalesceMs } = limits;
      group = createGroup({ name, grant, dialect, lookup, write, coalesceMs, observer });
      groups.set(name, group);
    }
    return group;
  };

  const stopWatching = lookup.watchKeys?.((keyId, environmentId) => {
    for (const subscriber of members.keys()) {
      const { grant, dialect } = subscriber;
      const isOwn = keyId === undefined || keyId === grant.keyId;
      if (isOwn) recheckKey(subscriber).catch(() => {});
      const isNear = environmentId === undefined || environmentId === grant.environmentId;
      // An id is only told when the key is known to be of this environment.
      if (isNear && dialect.keysChanged !== undefined) {
        write(subscriber, dialect.keysChanged(environmentId === undefined ? undefined : keyId));
      }
    }
  });

  return {
    requireRoom(grant, countKey) {
      const [key, environment] = countNames(grant, countKey);
      const { maxPerKey, maxPerVisitor = maxPerKey } = limits;
      const max = grant.kind === 'client' ? maxPerVisitor : maxPerKey;
      if ((counts.get(key) ?? 0) >= max) {
        observer?.refused('streams_per_key');
        throw full('key', max);
      }
      if ((counts.get(environment) ?? 0) >= limits.maxPerEnvironment) {
        observer?.refused('streams_per_environment');
        throw full('environment', limits.maxPerEnvironment);
      }
    },
    open(subscriber, published, headers) {
      const { response, dialect, lastVersion, grant, countKey } = subscriber;
      response.writeHead(200, { ...headers, ...STREAM_HEADERS } as Record<string, string>);
      if (isClosed) {
        response.end(dialect.goodbye('shutdown', RETURN_SPREAD_MS));
        return;
      }
      const group = groupOf(subscriber);
      group.join(subscriber);
      opened += 1;
      observer?.opened(grant.kind);
      members.set(subscriber, { group, slot: opened % SLOTS, keepAlives: 0 });
      for (const name of countNames(grant, countKey)) add(name, 1);
      response.on('close', () => leave(subscriber, 'client'));
      // Without a listener, a reset connection would be an uncaught error. `close` follows.
      response.on('error', () => {});
      timer ??= setInterval(onTick, limits.keepAliveMs / SLOTS).unref();
      const first =
        lastVersion === published.version
          ? dialect.heartbeat(published, time())
          : dialect.updated(published, [], 0);
      write(subscriber, `retry: 3000\n\n${first}`);
    },
    close() {
      isClosed = true;
      stopWatching?.();
      for (const subscriber of [...members.keys()]) dismiss(subscriber, 'shutdown');
    },
    count: () => members.size,
  };
}

const STREAM_HEADERS = {
  'content-type': 'text/event-stream; charset=utf-8',
  'cache-control': 'no-store',
  // Keeps proxies from buffering the events.
  'x-accel-buffering': 'no',
};

/** The counters of a stream. Visitors with a `client` key must not use up the streams of servers. */
function countNames(grant: KeyGrant, countKey: string): readonly [key: string, environment: string] {
  const kind = grant.kind === 'client' ? 'client' : 'server';
  return [`key ${countKey}`, `environment ${kind} ${grant.environmentId}`];
}

function full(scope: 'key' | 'environment', limit: number): ApiError {
  return new ApiError('RATE_LIMIT_EXCEEDED', {
    message: `Too many streams: at most ${limit} per ${scope} at a time. Poll meanwhile.`,
    details: { scope, limit, retry_after: 60 },
    headers: { 'retry-after': '60' },
  });
}
