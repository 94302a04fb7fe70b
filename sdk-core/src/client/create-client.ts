import type { ClientMachine } from './client-machine.ts';
import type { ClientConfig } from './client-options.ts';
import { createEventBatcher } from './event-batcher.ts';
import { createFlagReader } from './flag-reader.ts';
import { type ClientStatus, createListeners } from './listeners.ts';
import type { RulesetSource, SavedPayload, Snapshot } from './ports.ts';
import { createRequestScheduler } from './request-scheduler.ts';
import { type Reply, send, within } from './transport.ts';

/**
 * Starts a client, which runs until it is closed. The last good answers always stay: a payload is parsed, checked and
 * evaluated once before it replaces the current one. Only then does the client send the payload's tag and save the
 * payload.
 */
export const createClient = <S extends Snapshot>(
  config: ClientConfig,
  source: RulesetSource<S>,
): ClientMachine<S> => {
  const { clock, random, pollIntervalMs, saved } = config;
  const listeners = createListeners(config.log);
  const { on, off, emit, report } = listeners;
  let status: ClientStatus = 'initializing';
  const waiting = { clock, hold: true };
  let current: S | undefined;
  let held: SavedPayload | undefined;
  let tag: string | null = null;
  let closing: Promise<void> | undefined;
  /** Until then, a 429 neither makes the client `stale` nor is reported (CL-72). */
  let freshUntil: number | undefined;
  let start: () => void;
  const started = new Promise<void>((resolve) => {
    start = resolve;
  });
  let endFirstTry: () => void;
  /** Resolves when the status is no longer `initializing`, or the first fetch has failed. */
  const tried = new Promise<void>((resolve) => {
    endFirstTry = resolve;
  });
  const events = createEventBatcher(config, () => current, report);
  const reader = createFlagReader(() => current, config.events ? events.count : () => {}, report);

  const become = (next: ClientStatus) => {
    if (status === next || status === 'closed') return;
    // A new outage begins, so faults that were already reported in an earlier outage are reported again.
    if (status === 'ready') listeners.clearReported();
    status = next;
    start();
    endFirstTry();
    emit('status', next);
  };
  const apply = (payload: SavedPayload, next: ClientStatus): boolean => {
    try {
      const loaded = source.load(payload.data, report);
      if (!loaded) return false;
      // Comparing costs about as much as parsing, so it is skipped if there are no listeners.
      const changed = listeners.has('change') ? source.changes(current, loaded) : [];
      current = loaded;
      held = payload;
      tag = payload.tag;
      become(next);
      if (changed.length) emit('change', changed);
      return true;
    } catch {
      return false;
    }
  };
  const confirmRuleset = () => {
    freshUntil = clock.monotonic() + 3 * pollIntervalMs;
    return pollIntervalMs * (0.9 + random() / 5);
  };
  const settlePoll = ({ status: got, code, detail, body, header }: Reply) => {
    const payload = { data: (body as { data?: unknown } | null)?.data, tag: header?.('etag') ?? null };
    config.polled?.(got, header);
    if (got === 304 && tag !== null) become('ready');
    else if (got === 200 && apply(payload, 'ready')) config.save?.(payload);
    else {
      // A full limit is no outage while the answers are recent.
      if (got === 429 && clock.monotonic() < freshUntil!) return;
      const refused = got === 401 || got === 403;
      if (refused) become('unauthorized');
      // The status stays `unauthorized` until a good answer arrives.
      else if (current && status !== 'unauthorized') become('stale');
      if (code) report(code, detail);
      else report(refused ? 'UNAUTHORIZED' : got === 200 ? 'BAD_RULESET' : 'HTTP_STATUS', got);
      endFirstTry();
      return;
    }
    return confirmRuleset();
  };
  const polling = createRequestScheduler(
    config,
    () => send(config, { ...source.request(), tag }),
    settlePoll,
  );

  if (saved && !apply(saved, 'cached')) report('BAD_RULESET', 'saved');
  // Scheduled before the lifecycles are connected, because a lifecycle may pause the client or defer its first fetch.
  polling.schedule(0);
  events.scheduler.schedule(0);
  const disconnect = config.connect({
    poll: polling.run,
    idle: polling.idle,
    pause() {
      polling.pause();
      events.scheduler.pause();
    },
    resume() {
      if (closing) return;
      polling.resume();
      events.scheduler.resume();
    },
    receive(payload) {
      if (tag !== null && payload.tag === tag) become('ready');
      else if (closing || !apply(payload, 'ready')) return false;
      polling.schedule(confirmRuleset());
      return true;
    },
    held: () => held,
    defer: polling.schedule,
    flush: events.flush,
    flushAtOnce: events.flushAtOnce,
  });

  return {
    client: {
      ...reader,
      on,
      off,
      track: events.track,
      flush: events.flush,
      stats: () => ({ ...events.stats(), rulesetVersion: current?.version ?? null }),
      ruleset: () => current?.ruleset,
      status: () => status,
      ready: ({ timeoutMs = 5000, failFast } = {}) =>
        within(waiting, timeoutMs, failFast ? tried : started).then(() => status),
      close({ timeoutMs = 2000 } = {}) {
        if (!closing) {
          polling.stop();
          // Events are sent after the listeners are called, so events that a listener tracks are sent too. A listener
          // that calls `close` gets this promise.
          closing = within(
            waiting,
            timeoutMs,
            started.then<unknown>(() => timeoutMs && events.flush()),
          ).then(() => {
            events.close();
            disconnect();
          });
          become('closed');
        }
        return closing;
      },
    },
    report,
    snapshot: () => current,
    reload() {
      if (held) apply(held, status);
    },
    refetch() {
      tag = null;
      return closing ?? polling.rerun();
    },
  };
};
