import type { Context, EvaluationResult, Json } from '../protocol.ts';
import { type Batch, type Line, packBatches } from './batch.ts';
import type { ClientConfig } from './client-options.ts';
import type { Report } from './errors.ts';
import type { Snapshot } from './ports.ts';
import { type Reply, send } from './transport.ts';
import { createTurns, isLasting, type Turns } from './turns.ts';

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
  readonly value?: number;
  /** Short: an event of more than 4,096 characters is dropped. */
  readonly properties?: { readonly [name: string]: Json };
}

/** Collects events and sends them. Nothing here throws. */
export interface EventBatcher {
  /** Counts one evaluation, and reports it singly if its flag exposes. */
  count(flagKey: string, result: EvaluationResult, context: Context): void;
  track(eventName: string, context: Context, data?: TrackData): void;
  /** Later counts belong to this snapshot's version. */
  use(snapshot: Pick<Snapshot, 'version' | 'exposes'>): void;
  /** Tries to send what is pending, once. `lastChance` does not wait for one batch before it sends the next. */
  flush(lastChance?: boolean): Promise<void>;
  /** Drops what is pending and all that comes. */
  close(): void;
  stats(): EventStats;
  readonly turns: Turns;
}

const HOUR_MS = 3_600_000;
/** Keeps the server's limit for properties, and a batch of the default length within all of its other limits. */
const MAX_LINE_LENGTH = 4096;
const MAX_EXPOSED = 10_000;

/** There was nothing to send. */
const IDLE: Reply = { status: 200, header: () => null };

/**
 * Counts each evaluation on its outcome (decision 0025). While a batch waits for its answer or its retry no further one is made, and
 * counters go on counting where they are: an outage costs the memory of one interval, however long it lasts.
 */
export const createEventBatcher = (config: ClientConfig, report: Report): EventBatcher => {
  const { clock, random, sdk, flushIntervalMs, maxBatchLength, maxPendingEvents } = config;
  const open = new Map<unknown, Line>();
  const queue = new Set<Batch>();
  const exposed = new Map<string, number>();
  let snapshot: Parameters<EventBatcher['use']>[0] = { version: null, exposes: () => false };
  let closed = !config.events;
  let openedAt = 0;
  let recorded = 0;
  let delivered = 0;
  let dropped = 0;
  let ids = 0;

  const nextId = () => `${sdk.instance_id}-${++ids}`;
  const iso = (ms: number) => new Date(ms).toISOString();
  /** Adds what `make` gives, if it can be sent and there is room. */
  const add = (key: unknown, make: () => object | false): Line | undefined => {
    try {
      const event = make();
      const json = JSON.stringify(event);
      if (event && !closed && open.size < maxPendingEvents && json.length <= MAX_LINE_LENGTH) {
        if (!open.size) openedAt = clock.now();
        // A copy: what was given may change before it is sent.
        const line = JSON.parse(json);
        open.set(key, line);
        // Soon, since the line is still to be counted; and not while it is paused.
        if (open.size === maxPendingEvents >> 1) turns.schedule(0);
        return line;
      }
    } catch {
      // A context that cannot be read, or properties that are no JSON: a cycle, a BigInt, a toJSON that throws.
    }
    dropped++;
    return;
  };
  const begin = (flag_key: string, result: EvaluationResult): Line | undefined => {
    const { version: ruleset_version, exposes } = snapshot;
    // All flags that are not there share one result.
    const key = result.reason === 'FLAG_NOT_FOUND' ? `${ruleset_version} ${flag_key}` : result;
    return (
      open.get(key) ??
      add(key, () => ({
        flag_key,
        ...result,
        value: undefined,
        ruleset_version,
        count: 0,
        exposes: result.variation_key !== null && exposes(flag_key),
      }))
    );
  };
  const record = (context: Context, make: () => object | false) => {
    recorded++;
    const id = nextId();
    add(id, () => {
      const { user_key } = context;
      const event = isName(user_key) && make();
      return event && { ...event, id, timestamp: iso(clock.now()), user_key };
    });
  };
  /** Once per user, flag and variation an hour; beyond the bound the oldest exposure is forgotten first. */
  const expose = (line: Line, flagKey: string, { variation_key }: EvaluationResult, context: Context) => {
    const key = JSON.stringify([flagKey, variation_key, context.user_key]);
    const now = clock.monotonic();
    if (!isName(context.user_key) || now - exposed.get(key)! < HOUR_MS) return;
    exposed.delete(key);
    exposed.set(key, now);
    if (exposed.size > MAX_EXPOSED) exposed.delete(exposed.keys().next().value!);
    record(context, () => ({ ...line, type: 'exposure', count: undefined, exposes: undefined }));
  };

  /** Makes batches of what is open. */
  const seal = () => {
    const start = iso(openedAt);
    // The wall clock may have gone back.
    const end = iso(Math.max(openedAt, clock.now()));
    const batches = packBatches(open.values(), maxBatchLength, (counters, single) => {
      const events = counters.length ? [...single, { type: 'summary', start, end, counters }] : single;
      return JSON.stringify({ batch_id: nextId(), sent_at: end, sdk, events });
    });
    for (const batch of batches) queue.add(batch);
    open.clear();
  };
  const attempt = async (batch: Batch): Promise<Reply> => {
    const reply = await send(config, { path: '/sdk/events', body: batch.body, outlives: true });
    delete batch.flight;
    const refused = isLasting(reply.status);
    // Gone already when the client was closed.
    if ((refused || isGood(reply.status)) && queue.delete(batch)) {
      if (refused) {
        dropped += batch.count;
        report('EVENTS_DROPPED', reply.status);
      } else delivered += batch.count;
    }
    return reply;
  };
  /** Never twice at a time: what is under way outlives the page already. */
  const deliver = (batch: Batch) => (batch.flight ??= attempt(batch));
  const turns = createTurns(
    config,
    async () => {
      if (!queue.size) seal();
      const [batch] = queue;
      return batch ? deliver(batch) : IDLE;
    },
    ({ status }) => (isGood(status) ? (queue.size ? 0 : flushIntervalMs * (0.9 + random() / 5)) : undefined),
  );

  return {
    turns,
    count(flagKey, result, context) {
      const line = open.get(result) ?? begin(flagKey, result);
      recorded++;
      if (line) {
        line.count!++;
        if (line.exposes) expose(line, flagKey, result, context);
      }
    },
    track(event_name, context, data) {
      record(context, () => {
        const value = Number.isFinite(data?.value) ? data?.value : undefined;
        return isName(event_name) && { type: 'track', event_name, value, properties: data?.properties };
      });
    },
    use(next) {
      snapshot = next;
    },
    async flush(lastChance) {
      if (lastChance) {
        seal();
        await Promise.all([...queue].map(deliver));
      } else {
        // What was recorded until now, as long as it gets on.
        const target = recorded;
        for (let settled = -1; settled < delivered + dropped && delivered + dropped < target; ) {
          settled = delivered + dropped;
          await turns.run();
        }
      }
    },
    close() {
      closed = true;
      turns.stop();
      open.clear();
      queue.clear();
      dropped = recorded - delivered;
    },
    stats: () => ({ recorded, delivered, pending: recorded - delivered - dropped, dropped }),
  };
};

const isName = (name: unknown) => !!name && typeof name === 'string';
const isGood = (status: number) => status >= 200 && status < 300;
