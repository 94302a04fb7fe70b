import type { Context, EvaluationResult, Json } from '../protocol/protocol.ts';
import { isScalar } from '../protocol/value-types.ts';
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
  /** Events that were lost, for any of the causes in `drops`. */
  readonly dropped: number;
  /** How many events were lost for each cause. */
  readonly drops: Readonly<Record<DropCause, number>>;
}

/**
 * Why an event was lost: there was no room (`full`); it has no user key and no unit, is too long, or is not JSON
 * (`invalid`); the server refused it (`refused`); or the client was closed, or events are switched off (`closed`).
 */
export type DropCause = 'full' | 'invalid' | 'refused' | 'closed';

/** The data of a `track` call. */
export interface TrackData {
  readonly value?: number | undefined;
  /**
   * Units for which the action counts besides the user, by attribute, such as `{ company_id: 'c1' }`. The client adds
   * those of the context's attributes that rules assign.
   */
  readonly units?: { readonly [by: string]: string | number | boolean } | undefined;
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
type Current = () => Pick<Snapshot, 'version' | 'exposes' | 'units'> | undefined;

/** A single event or a counter that is not in a batch yet. */
interface Entry {
  readonly event: object;
  /** A counter's count; undefined for a single event. */
  count: number | undefined;
  /** Length of the event's JSON without the count. */
  readonly length: number;
  /** What the rule assigns, for a counter of a flag whose exposures are reported too. */
  readonly exposes?: string | false | undefined;
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
  let delivered = 0;
  let ids = 0;
  const drops = { full: 0, invalid: 0, refused: 0, closed: 0 };

  const settled = () => delivered + drops.refused;
  const nextId = () => `${sdk.instance_id}-${++ids}`;
  /** Adds an entry for the event that `create` returns, if it can be sent and there is room. */
  const add = (key: unknown, create: () => object | false, counter?: Pick<Entry, 'count' | 'exposes'>) => {
    const hasRoom = entries.size < capacity;
    try {
      const event = hasRoom && create();
      const json = toJson(event);
      if (event && json.length <= MAX_EVENT_LENGTH) {
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
    const cause = hasRoom ? 'invalid' : capacity ? 'full' : 'closed';
    drops[cause]++;
    // Reports nothing if events are switched off or the client is closed.
    if (capacity) report('EVENTS_DROPPED', cause);
    return;
  };
  /** Adds a single event. It needs a user key, or in `create`'s event a unit. */
  const record = (context: Context, name: unknown, create: () => { unit?: unknown; units?: object }) => {
    const entry = add({}, () => {
      const event = create();
      const user_key = isName(context.user_key) ? context.user_key : undefined;
      const isComplete = isName(name) && !!(user_key || event.unit || event.units);
      return isComplete && { ...event, id: nextId(), timestamp: iso(clock.now()), user_key };
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
      entries.get(key) ??
      add(key, create, { count: 0, exposes: isServed && current()!.exposes(flag_key, result.rule_id) })
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
          drops.refused += count;
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
      // The wall clock may have been set back.
      const end = iso(Math.max(openedAt, clock.now()));
      if (counters.length) events.push({ type: 'summary', start: iso(openedAt), end, counters });
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
      const unit = exposedUnit(context, entry.exposes);
      const key = unit ? unit.key : context.user_key;
      if (isName(key) && isFirstInHour(`${flagKey} ${result.variation_key} ${context.user_key} ${key}`))
        record(context, flagKey, () => ({ ...entry.event, type: 'exposure', unit }));
    },
    track(event_name, context, data) {
      record(context, event_name, () => ({ ...tracked(context, data, current()?.units), event_name }));
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
      drops.closed += accepted - settled();
      accepted = settled();
    },
    stats() {
      const dropped = drops.full + drops.invalid + drops.refused + drops.closed;
      const pending = accepted - settled();
      return { recorded: delivered + pending + dropped, delivered, pending, dropped, drops: { ...drops } };
    },
  };
};

const iso = (ms: number) => new Date(ms).toISOString();

/** What an exposure is counted by, if that is not the user. */
const exposedUnit = (context: Context, by: string) =>
  by === 'user_key' ? undefined : { by, key: unitKey(context, by) };

/** The data of a track event, with the units of the caller and those of the attributes that rules assign. */
const tracked = (context: Context, data: TrackData | undefined, names: Iterable<unknown> | undefined) => {
  const { value, properties, units: own } = data ?? {};
  const given: Context = { attributes: { ...context.attributes, ...own } };
  const found = [...(names ?? []), ...Object.keys({ ...own })]
    .map((by) => [by, unitKey(given, by as string)])
    .filter((unit) => unit.every(isName));
  return {
    type: 'track',
    units: found[0] && Object.fromEntries(found),
    value: Number.isFinite(value) ? value : undefined,
    properties,
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

/** The text of an attribute, if it is one of the context's own and a scalar. */
const unitKey = ({ attributes }: Context, by: string): string | undefined => {
  const value = Object.hasOwn(Object(attributes), by) ? attributes![by] : undefined;
  return isScalar(value) ? String(value) : undefined;
};

/** True for a name within the server's limits. One counter with an invalid key would cost the whole batch. */
const isName = (name: unknown) => !!name && typeof name === 'string' && name.length <= MAX_NAME_LENGTH;
const isSuccess = (status: number) => /^2/.test(`${status}`);
