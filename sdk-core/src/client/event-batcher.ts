import type { Context, EvaluationResult, Json } from '../protocol/protocol.ts';
import type { ClientConfig } from './client-options.ts';
import type { Report } from './errors.ts';
import { HOUR_MS, MAX_EVENT_LENGTH, MAX_EXPOSURES, MAX_NAME_LENGTH } from './event-limits.ts';
import { toJson } from './json.ts';
import type { Snapshot } from './ports.ts';
import { createRequestScheduler, isLasting, type RequestScheduler } from './request-scheduler.ts';
import { type Reply, send } from './transport.ts';

/** Counts of single events. `recorded` = `delivered` + `pending` + `dropped` at any time. */
export interface EventStats {
  /** Evaluations, exposures and track events since the start. */
  readonly recorded: number;
  /** Acknowledged by the server. */
  readonly delivered: number;
  /** Not sent yet, or sent but not acknowledged. */
  readonly pending: number;
  /** Given up: no room, too long, refused by the server, or unsent at `close`. */
  readonly dropped: number;
}

/** What comes with a `track` call. */
export interface TrackData {
  readonly value?: number | undefined;
  /** An event of more than 4,096 characters is dropped. */
  readonly properties?: { readonly [name: string]: Json } | undefined;
}

/** Collects events and sends them in batches. Nothing here throws. */
export interface EventBatcher {
  /** Counts one evaluation, and reports an exposure if the flag asks for it. */
  count(flagKey: string, result: EvaluationResult, context: Context): void;
  track(eventName: string, context: Context, data?: TrackData): void;
  /** Tries to send what is pending, once. */
  flush(): Promise<void>;
  /** Sends all batches at once, ignoring waits and requests in flight: the page may be gone the next moment. */
  flushAtOnce(): Promise<unknown>;
  /** Drops what is pending and whatever is recorded later. */
  close(): void;
  stats(): EventStats;
  readonly scheduler: RequestScheduler;
}

/** Gives the snapshot that answers. */
type Current = () => Pick<Snapshot, 'version' | 'exposes'> | undefined;

/** An event that is not in a batch yet. */
interface Entry {
  readonly event: object;
  /** How often it happened, for a counter; undefined for a single event. */
  count: number | undefined;
  /** Length of its JSON without the count. */
  readonly length: number;
  /** True for a counter of which exposures are reported, too. */
  readonly exposes?: boolean;
}

/**
 * Counts evaluations by outcome (decisions/0012). While a batch waits for its answer or its retry no other batch is
 * made, and counters keep counting: an outage takes the memory of one interval, however long it lasts.
 */
export const createEventBatcher = (config: ClientConfig, current: Current, report: Report): EventBatcher => {
  const { clock, sdk } = config;
  const entries = new Map<unknown, Entry>();
  /** Batches that are not settled, each as the function that sends it. */
  const batches = new Set<() => Promise<Reply>>();
  const isFirstInHour = createHourlyFilter(clock);
  let capacity = config.events ? config.maxPendingEvents : 0;
  /** This many entries are sent before the flush interval is over. */
  const enoughToSend = config.maxPendingEvents >> 1;
  let openedAt = 0;
  /** Events with room in memory, and those without: `flush` waits for the former only. */
  let accepted = 0;
  let rejected = 0;
  let delivered = 0;
  let dropped = 0;
  let ids = 0;

  const settled = () => delivered + dropped;
  const nextId = () => `${sdk.instance_id}-${++ids}`;
  const iso = (ms: number) => new Date(ms).toISOString();
  /** Adds an entry for what `create` gives, if it can be sent and there is room. */
  const add = (key: unknown, create: () => object | false, counter?: Pick<Entry, 'count' | 'exposes'>) => {
    try {
      const event = create();
      const json = toJson(event);
      if (event && entries.size < capacity && json.length <= MAX_EVENT_LENGTH) {
        if (!entries.size) openedAt = clock.now();
        // The event is a copy, because the original may change. `count` is own: a page may extend `Object.prototype`.
        const entry: Entry = { event: JSON.parse(json), length: json.length, count: undefined, ...counter };
        entries.set(key, entry);
        // By a timer, since this entry is still to be counted.
        if (entries.size === enoughToSend) scheduler.schedule(0);
        return entry;
      }
    } catch {
      // A context that cannot be read, or properties that are not JSON: a cycle, a BigInt, a `toJSON` that throws.
    }
    rejected++;
    // Not for events that are switched off, nor after `close`.
    if (capacity) report('EVENTS_DROPPED', '');
    return;
  };
  const record = (context: Context, name: unknown, create: () => object) => {
    const entry = add({}, () => {
      const { user_key } = context;
      const isComplete = isName(user_key) && isName(name);
      return isComplete && { ...create(), id: nextId(), timestamp: iso(clock.now()), user_key };
    });
    if (entry) accepted++;
  };
  /** The counter of an outcome. A snapshot has one object per outcome; a default value that is served has none. */
  const counterOf = (flag_key: string, result: EvaluationResult): Entry | undefined => {
    const ruleset_version = current()?.version ?? null;
    const isServed = result.variation_key !== null;
    const key = isServed ? result : `${ruleset_version} ${flag_key} ${result.reason} ${result.rule_id}`;
    const create = () => isName(flag_key) && { flag_key, ...result, value: undefined, ruleset_version };
    return (
      entries.get(key) ?? add(key, create, { count: 0, exposes: isServed && current()!.exposes(flag_key) })
    );
  };
  /** Adds a batch. A retry sends the same text. */
  const enqueue = (body: string, count: number) => {
    let inFlight: Promise<Reply> | undefined;
    // Never twice at a time: a request in flight outlives the page anyway.
    const deliver = () =>
      (inFlight ??= send(config, { path: '/sdk/events', body, keepalive: true }).then((reply) => {
        inFlight = undefined;
        // `close` may have dropped it already.
        if (isSuccess(reply.status) && batches.delete(deliver)) delivered += count;
        if (isLasting(reply.status) && batches.delete(deliver)) {
          dropped += count;
          report('EVENTS_DROPPED', reply.status);
        }
        return reply;
      }));
    batches.add(deliver);
  };
  /** Moves all entries into batches of about `maxBatchLength`. */
  const seal = () => {
    while (entries.size) {
      const [events, counters, count] = takeEvents(entries, config.maxBatchLength);
      const start = iso(openedAt);
      // The wall clock may have gone back.
      const end = iso(Math.max(openedAt, clock.now()));
      if (counters.length) events.push({ type: 'summary', start, end, counters });
      enqueue(toJson({ batch_id: nextId(), sent_at: end, sdk, events }), count);
    }
  };
  const sendNext = async () => {
    if (!batches.size) seal();
    const [deliver] = batches;
    return deliver?.() ?? { status: 200 };
  };
  const scheduler = createRequestScheduler(config, sendNext, ({ status }) => {
    if (!isSuccess(status)) return;
    // Enough may have come in while another batch was in flight.
    if (batches.size || entries.size >= enoughToSend) return 0;
    return config.flushIntervalMs * (0.9 + config.random() / 5);
  });

  return {
    scheduler,
    count(flagKey, result, context) {
      const entry = entries.get(result) ?? counterOf(flagKey, result);
      if (!entry) return;
      accepted++;
      entry.count!++;
      if (!entry.exposes) return;
      const { user_key } = context;
      if (isName(user_key) && isFirstInHour(`${flagKey} ${result.variation_key} ${user_key}`))
        record(context, flagKey, () => ({ ...entry.event, type: 'exposure' }));
    },
    track(event_name, context, data) {
      record(context, event_name, () => {
        const { value, properties } = data ?? {};
        return { type: 'track', event_name, value: Number.isFinite(value) ? value : undefined, properties };
      });
    },
    async flush() {
      // What was recorded until now, while it makes progress: a refused batch does not stop the others.
      const target = accepted;
      while (settled() < target) {
        const before = settled();
        await scheduler.run();
        if (settled() === before) return;
      }
    },
    flushAtOnce() {
      // At most four, the number that may outlive a page; the rest goes with the next call (decisions/0018).
      if (batches.size < 4) seal();
      return Promise.all([...batches].map((deliver) => deliver()));
    },
    close() {
      capacity = 0;
      scheduler.stop();
      entries.clear();
      batches.clear();
      dropped = accepted - delivered;
    },
    stats: () => ({
      recorded: accepted + rejected,
      delivered,
      pending: accepted - settled(),
      dropped: dropped + rejected,
    }),
  };
};

/** Removes entries of about the given length; gives single events, counters, and how many events they stand for. */
const takeEvents = (entries: Map<unknown, Entry>, maxLength: number) => {
  const events: object[] = [];
  const counters: object[] = [];
  let lengthTaken = 0;
  let recorded = 0;
  for (const [key, { event, count, length }] of entries) {
    if (lengthTaken > maxLength) break;
    entries.delete(key);
    lengthTaken += length;
    recorded += count ?? 1;
    if (count === undefined) events.push(event);
    else counters.push({ ...event, count });
  }
  return [events, counters, recorded] as const;
};

/** True for what it has not seen within the hour. Beyond its bound the oldest is forgotten first. */
const createHourlyFilter = (clock: ClientConfig['clock']) => {
  const seenAt = new Map<string, number>();
  return (exposure: string): boolean => {
    const now = clock.monotonic();
    if (now - seenAt.get(exposure)! < HOUR_MS) return false;
    seenAt.delete(exposure);
    seenAt.set(exposure, now);
    if (seenAt.size > MAX_EXPOSURES) seenAt.delete(seenAt.keys().next().value!);
    return true;
  };
};

/** Within the server's limits: one counter with a bad key would cost all counters of its batch. */
const isName = (name: unknown) => !!name && typeof name === 'string' && name.length <= MAX_NAME_LENGTH;
const isSuccess = (status: number) => status >= 200 && status < 300;
