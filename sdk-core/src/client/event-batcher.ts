import type { Context, EvaluationResult, Json } from '../protocol/protocol.ts';
import type { ClientConfig } from './client-options.ts';
import type { Report } from './errors.ts';
import { HOUR_MS, MAX_EVENT_LENGTH, MAX_EXPOSURES, MAX_NAME_LENGTH } from './event-limits.ts';
import { toJson } from './json.ts';
import type { Snapshot } from './ports.ts';
import { createRequestScheduler, isLasting, type RequestScheduler } from './request-scheduler.ts';
import { type Reply, send } from './transport.ts';

/** Counts of events; each evaluation is one event. `recorded` = `delivered` + `pending` + `dropped` at any time. */
export interface EventStats {
  /** Evaluations, exposures and track events since the client was created. */
  readonly recorded: number;
  /** Events that the server has acknowledged. */
  readonly delivered: number;
  /** Events not sent yet, or sent but not acknowledged. */
  readonly pending: number;
  /** Events that were lost: there was no room, or they were too long, refused by the server, or unsent at `close`. */
  readonly dropped: number;
}

/** The data of a `track` call. */
export interface TrackData {
  readonly value?: number | undefined;
  /** An event of more than 4,096 characters is dropped. */
  readonly properties?: { readonly [name: string]: Json } | undefined;
}

/** Collects events and sends them in batches. Nothing here throws. */
export interface EventBatcher {
  /** Counts one evaluation, and reports an exposure if the flag's exposures are to be reported. */
  count(flagKey: string, result: EvaluationResult, context: Context): void;
  track(eventName: string, context: Context, data?: TrackData): void;
  /** Tries once to send all pending events. */
  flush(): Promise<void>;
  /** Sends all batches at once, ignoring waits and requests in flight, because the page may be about to close. */
  flushAtOnce(): Promise<unknown>;
  /** Drops pending events, and events that are recorded later. */
  close(): void;
  stats(): EventStats;
  readonly scheduler: RequestScheduler;
}

/** Returns the current snapshot. */
type Current = () => Pick<Snapshot, 'version' | 'exposes'> | undefined;

/** A single event or a counter that is not in a batch yet. */
interface Entry {
  readonly event: object;
  /** A counter's count; undefined for a single event. */
  count: number | undefined;
  /** Length of the event's JSON without the count. */
  readonly length: number;
  /** True for a counter of a flag whose exposures are reported too. */
  readonly exposes?: boolean;
}

/**
 * Counts evaluations by outcome (decisions/0012). While a batch waits for its answer or its retry, no other batch is
 * created and counters keep counting. So an outage needs no more memory than one interval does, however long it lasts.
 */
export const createEventBatcher = (config: ClientConfig, current: Current, report: Report): EventBatcher => {
  const { clock, sdk } = config;
  const entries = new Map<unknown, Entry>();
  /** Batches not yet acknowledged or dropped; each is represented by the function that sends it. */
  const batches = new Set<() => Promise<Reply>>();
  const isFirstInHour = createHourlyFilter(clock);
  let capacity = config.events ? config.maxPendingEvents : 0;
  /** With this many entries, a batch is sent before the flush interval is over. */
  const enoughToSend = config.maxPendingEvents >> 1;
  let openedAt = 0;
  /** The number of events that were added to `entries`. */
  let accepted = 0;
  /** The number of events that were dropped at once, because they could not be sent or there was no room. */
  let rejected = 0;
  let delivered = 0;
  let dropped = 0;
  let ids = 0;

  const settled = () => delivered + dropped;
  const nextId = () => `${sdk.instance_id}-${++ids}`;
  const iso = (ms: number) => new Date(ms).toISOString();
  /** Adds an entry for the event that `create` returns, if it can be sent and there is room. */
  const add = (key: unknown, create: () => object | false, counter?: Pick<Entry, 'count' | 'exposes'>) => {
    try {
      const event = create();
      const json = toJson(event);
      if (event && entries.size < capacity && json.length <= MAX_EVENT_LENGTH) {
        if (!entries.size) openedAt = clock.now();
        // Copies the event, because the original may change. Sets `count` even if it is undefined, because a page may
        // have added a `count` to `Object.prototype`.
        const entry: Entry = { event: JSON.parse(json), length: json.length, count: undefined, ...counter };
        entries.set(key, entry);
        // Uses a timer, because the caller has not counted this entry yet.
        if (entries.size === enoughToSend) scheduler.schedule(0);
        return entry;
      }
    } catch {
      // A context that cannot be read, or properties that are not JSON: a cycle, a BigInt, a `toJSON` that throws.
    }
    rejected++;
    // Reports nothing if events are switched off or the client is closed.
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
  /** The counter of an outcome. Its key is the result object, or a text if the default value is served. */
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
    // Joins a request in flight, which outlives the page anyway.
    const deliver = () =>
      (inFlight ??= send(config, { path: '/sdk/events', body, keepalive: true }).then((reply) => {
        inFlight = undefined;
        // `close` may have dropped the batch already.
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
      // The wall clock may have been set back.
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
    // Enough entries may have been added while a batch was in flight.
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
      // Sends the events recorded until now, as long as attempts make progress. A refused batch does not stop the others.
      const target = accepted;
      while (settled() < target) {
        const before = settled();
        await scheduler.run();
        if (settled() === before) return;
      }
    },
    flushAtOnce() {
      // Requests for at most four batches can outlive a page, so no more batches are created; the next call sends the
      // remaining events (decisions/0018).
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

/**
 * Removes entries until their length reaches about `maxLength`. Returns the removed single events, the removed
 * counters, and the number of recorded events that these represent.
 */
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

/**
 * Returns a function that is true for an exposure not seen in the last hour. At its limit, it forgets the oldest
 * exposure.
 */
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

/** True for a name within the server's limits. One counter with an invalid key would cost the whole batch. */
const isName = (name: unknown) => !!name && typeof name === 'string' && name.length <= MAX_NAME_LENGTH;
const isSuccess = (status: number) => /^2/.test(`${status}`);
