import type { Context, EvaluationResult, Json } from '../protocol/protocol.ts';
import type { ClientStats } from './client-machine.ts';
import type { ClientConfig } from './client-options.ts';
import type { Report } from './errors.ts';
import { HOUR_MS, MAX_EXPOSED, MAX_LINE_LENGTH, MAX_NAME_LENGTH } from './event-limits.ts';
import { toJson } from './json.ts';
import type { Snapshot } from './ports.ts';
import { createTurns, isLasting, type Turns } from './request-scheduler.ts';
import { type Reply, send } from './transport.ts';

/** The books: `recorded` = `delivered` + `pending` + `dropped` at any time, in single events. */
export interface EventStats {
  /** Evaluations, exposures and track events since the start. */
  readonly recorded: number;
  /** Acknowledged by the server. */
  readonly delivered: number;
  /** Collected, or sent but not yet acknowledged. */
  readonly pending: number;
  /** Given up: no room, too long, refused by the server, or unsent at `close`. */
  readonly dropped: number;
}

/** What comes with a `track` call. */
export interface TrackData {
  readonly value?: number | undefined;
  /** Short: an event of more than 4,096 characters is dropped. */
  readonly properties?: { readonly [name: string]: Json } | undefined;
}

/** Collects events and sends them. Nothing here throws. */
export interface EventBatcher {
  /** Counts one evaluation, and reports it singly if its flag exposes. */
  count(flagKey: string, result: EvaluationResult, context: Context): void;
  track(eventName: string, context: Context, data?: TrackData): void;
  /** Tries to send what is pending, once. `lastChance` waits for nothing: neither for one batch nor for a time. */
  flush(lastChance?: boolean): Promise<void>;
  /** Drops what is pending and all that comes. */
  close(): void;
  /** With the version that answers now, which is the one that is counted for. */
  stats(): ClientStats;
  readonly turns: Turns;
}

/** One line of a batch to be. */
interface Line {
  readonly event: object;
  /** How often, for a counter; undefined for an event of its own. */
  count: number | undefined;
  /** Of its text, without the count. */
  readonly length: number;
  /** Whether what is counted is also reported singly. */
  readonly exposes: boolean;
}

/**
 * Counts each evaluation on its outcome (decisions/0012), for the snapshot that `current` gives at the time. While a
 * batch waits for its answer or its retry no further one is made, and counters go on counting where they are: an
 * outage costs the memory of one interval, however long it lasts.
 */
export const createEventBatcher = (
  config: ClientConfig,
  current: () => Pick<Snapshot, 'version' | 'exposes'> | undefined,
  report: Report,
): EventBatcher => {
  const { clock, sdk } = config;
  const open = new Map<unknown, Line>();
  /** Batches that were made, each as the function that sends it. */
  const queue = new Set<() => Promise<Reply>>();
  const isNews = createHourlyNews(clock);
  let room = config.events ? config.maxPendingEvents : 0;
  let openedAt = 0;
  let recorded = 0;
  let delivered = 0;
  let dropped = 0;
  let ids = 0;

  const settled = () => delivered + dropped;
  const nextId = () => `${sdk.instance_id}-${++ids}`;
  const iso = (ms: number) => new Date(ms).toISOString();
  /** Adds what `make` gives, if it can be sent and there is room. */
  const add = (key: unknown, make: () => object | false, count?: number, exposes = false) => {
    try {
      const event = make();
      const json = toJson(event);
      if (event && open.size < room && json.length <= MAX_LINE_LENGTH) {
        if (!open.size) openedAt = clock.now();
        // A copy: what was given may change before it is sent.
        open.set(key, { event: JSON.parse(json), count, length: json.length, exposes });
        // Soon, since the line is still to be counted; and not while it is paused.
        if (open.size === room >> 1) turns.schedule(0);
        return open.get(key);
      }
    } catch {
      // A context that cannot be read, or properties that are no JSON: a cycle, a BigInt, a toJSON that throws.
    }
    recorded--;
    lost++;
    // Neither without events nor after the end.
    if (room) report('EVENTS_DROPPED', '');
    return;
  };
  const record = (context: Context, name: unknown, make: () => object) => {
    recorded++;
    add({}, () => {
      const { user_key } = context;
      const isWhole = isName(user_key) && isName(name);
      return isWhole && { ...make(), id: nextId(), timestamp: iso(clock.now()), user_key };
    });
  };
  /** The line that counts an outcome, which is one object, unless it is that the default value is served. */
  const lineOf = (flag_key: string, result: EvaluationResult): Line | undefined => {
    const ruleset_version = current()?.version ?? null;
    const isServed = result.variation_key !== null;
    const key = isServed ? result : `${ruleset_version} ${flag_key} ${result.reason} ${result.rule_id}`;
    const make = () => isName(flag_key) && { flag_key, ...result, value: undefined, ruleset_version };
    return open.get(key) ?? add(key, make, 0, isServed && current()?.exposes(flag_key));
  };
  /** A retry sends the same text. */
  const enqueue = (body: string, count: number) => {
    let flight: Promise<Reply> | undefined;
    // Never twice at a time: what is under way outlives the page already.
    const deliver = () =>
      (flight ??= send(config, { path: '/sdk/events', body, keepalive: true }).then((reply) => {
        flight = undefined;
        // Gone already when the client was closed.
        if (isGood(reply.status) && queue.delete(deliver)) delivered += count;
        if (isLasting(reply.status) && queue.delete(deliver)) {
          dropped += count;
          report('EVENTS_DROPPED', reply.status);
        }
        return reply;
      }));
    queue.add(deliver);
  };
  /** Makes batches of about the given length of what is open. */
  const seal = () => {
    while (open.size) {
      // The wall clock may have gone back.
      const end = iso(Math.max(openedAt, clock.now()));
      const [events, count] = takeEvents(open, config.maxBatchLength, { start: iso(openedAt), end });
      enqueue(toJson({ batch_id: nextId(), sent_at: end, sdk, events }), count);
    }
  };
  const turns = createTurns(
    config,
    async () => {
      if (!queue.size) seal();
      const [deliver] = queue;
      // There may be nothing to send.
      return deliver?.() ?? { status: 200 };
    },
    ({ status }) =>
      isGood(status)
        ? // What was to leave early while another batch was under way is still there.
          queue.size || (room && open.size >= room >> 1)
          ? 0
          : config.flushIntervalMs * (0.9 + config.random() / 5)
        : undefined,
  );
  /** Dropped without ever being in a batch; counted apart, so that `flush` knows what it has to wait for. */
  let lost = 0;

  return {
    turns,
    count(flagKey, result, context) {
      const line = open.get(result) ?? lineOf(flagKey, result);
      recorded++;
      if (!line) return;
      line.count!++;
      if (!line.exposes) return;
      const { user_key } = context;
      if (isName(user_key) && isNews(`${flagKey} ${result.variation_key} ${user_key}`))
        record(context, flagKey, () => ({ ...line.event, type: 'exposure' }));
    },
    track(event_name, context, data) {
      record(context, event_name, () => ({
        type: 'track',
        event_name,
        value: Number.isFinite(data?.value) ? data?.value : undefined,
        properties: data?.properties,
      }));
    },
    async flush(lastChance) {
      if (lastChance) {
        // No more than may outlive a page: what waits is sent again with every goodbye (decisions/0018).
        if (queue.size < 4) seal();
        await Promise.all([...queue].map((deliver) => deliver()));
      } else {
        // What was recorded until now, as long as it gets on: a batch that is refused does not stop the others.
        const target = recorded;
        for (let before = -1; before < settled() && settled() < target; await turns.run()) before = settled();
      }
    },
    close() {
      room = 0;
      turns.stop();
      open.clear();
      queue.clear();
      dropped = recorded - delivered;
    },
    stats: () => ({
      recorded: recorded + lost,
      delivered,
      pending: recorded - settled(),
      dropped: dropped + lost,
      rulesetVersion: current()?.version ?? null,
    }),
  };
};

/** Takes lines out until they are about so long. Gives them as events of a batch, and how many were recorded in them. */
const takeEvents = (
  open: Map<unknown, Line>,
  room: number,
  time: { readonly start: string; readonly end: string },
) => {
  const events: object[] = [];
  const counters: object[] = [];
  let recorded = 0;
  for (const [key, { event, count, length }] of open) {
    if (room < 0) break;
    open.delete(key);
    room -= length;
    recorded += count ?? 1;
    if (count === undefined) events.push(event);
    else counters.push({ ...event, count });
  }
  if (counters.length) events.push({ type: 'summary', ...time, counters });
  return [events, recorded] as const;
};

/** Tells what was not told within the hour; beyond the bound the oldest is forgotten first. */
const createHourlyNews = (clock: ClientConfig['clock']) => {
  const told = new Map<string, number>();
  return (news: string): boolean => {
    const now = clock.monotonic();
    if (now - told.get(news)! < HOUR_MS) return false;
    told.delete(news);
    told.set(news, now);
    if (told.size > MAX_EXPOSED) told.delete(told.keys().next().value!);
    return true;
  };
};

/** What the server takes: one counter with another key would cost all counters of its batch. */
const isName = (name: unknown) => !!name && typeof name === 'string' && name.length <= MAX_NAME_LENGTH;
const isGood = (status: number) => status >= 200 && status < 300;
