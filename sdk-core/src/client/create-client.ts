import type { ClientMachine } from './client-machine.ts';
import type { ClientConfig } from './client-options.ts';
import { createEventBatcher } from './event-batcher.ts';
import { type ClientStatus, createListeners } from './listeners.ts';
import type { RulesetSource, SavedPayload, Snapshot } from './ports.ts';
import { createTurns } from './request-scheduler.ts';
import { createServing } from './serving.ts';
import { send, within } from './transport.ts';

/**
 * Starts a client; it goes on until it is closed. Whatever comes, the last good answers stay: a payload is parsed,
 * checked and tried before one reference is swapped, and only then is its tag used and the payload saved.
 */
export const createClient = <S extends Snapshot>(
  config: ClientConfig,
  source: RulesetSource<S>,
): ClientMachine<S> => {
  const { clock, random, pollIntervalMs, saved } = config;
  const listeners = createListeners(config.log);
  const { emit, report } = listeners;
  let status: ClientStatus = 'initializing';
  let current: S | undefined;
  let held: SavedPayload | undefined;
  let tag: string | null = null;
  let closing: Promise<void> | undefined;
  let start: () => void;
  const started = new Promise<void>((resolve) => {
    start = resolve;
  });
  let endFirstTry: () => void;
  /** Started, or the first fetch has failed. */
  const tried = new Promise<void>((resolve) => {
    endFirstTry = resolve;
  });
  const events = createEventBatcher(config, () => current, report);
  const serving = createServing(() => current, config.events ? events.count : () => {}, report);
  const { flush } = events;

  const become = (next: ClientStatus) => {
    if (status === next || status === 'closed') return;
    // An outage begins: what is told of it is news, though an earlier one was the same.
    if (status === 'ready') listeners.relieve();
    status = next;
    start();
    endFirstTry();
    emit('status', next);
  };
  const apply = (payload: SavedPayload, next: ClientStatus): boolean => {
    try {
      const loaded = source.load(payload.data, report);
      if (!loaded) return false;
      // Comparing costs about as much as parsing, so it waits for somebody who listens.
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
  const dueMs = () => pollIntervalMs * (0.9 + random() / 5);
  const turns = createTurns(
    config,
    () => send(config, { ...source.request(), tag }),
    ({ status: got, code, detail, body, headers }) => {
      const payload = {
        data: (body as { data?: unknown } | null)?.data,
        tag: headers?.get?.('etag') ?? null,
      };
      if (got === 304 && tag !== null) become('ready');
      else if (got === 200 && apply(payload, 'ready')) config.save(payload);
      else {
        const refused = got === 401 || got === 403;
        if (refused) become('unauthorized');
        // Only a good answer shows that the key is good again.
        else if (current && status !== 'unauthorized') become('stale');
        report(
          code ?? (refused ? 'UNAUTHORIZED' : got === 200 ? 'BAD_RULESET' : 'HTTP_STATUS'),
          code ? detail : got,
        );
        endFirstTry();
        return;
      }
      return dueMs();
    },
  );

  if (saved && !apply(saved, 'cached')) report('BAD_RULESET', 'saved');
  // Before them: one may pause the client at once, or put its first fetch off.
  turns.schedule(0);
  events.turns.schedule(0);
  const connections = config.lifecycles.map((connect) =>
    connect({
      async refresh(wanted) {
        await turns.idle();
        if (wanted === tag) become('ready');
        else if (!(await turns.run())) return;
        return tag;
      },
      pause() {
        turns.pause();
        events.turns.pause();
      },
      resume() {
        if (closing) return;
        turns.resume();
        events.turns.resume();
      },
      receive(payload) {
        if (tag !== null && payload.tag === tag) become('ready');
        else if (closing || !apply(payload, 'ready')) return false;
        turns.schedule(dueMs());
        return true;
      },
      held: () => held,
      defer: turns.schedule,
      flush,
    }),
  );

  return {
    ...serving,
    ...listeners,
    ...events,
    status: () => status,
    ready: ({ timeoutMs = 5000, failFast } = {}) =>
      within(clock, timeoutMs, failFast ? tried : started, true).then(() => status),
    close({ timeoutMs = 2000 } = {}) {
      if (!closing) {
        turns.stop();
        // Sent after it is told: what a listener tracks leaves, too, and a listener that closes gets this promise.
        closing = within(
          clock,
          timeoutMs,
          started.then<unknown>(() => timeoutMs && flush()),
          true,
        ).then(() => {
          events.close();
          for (const disconnect of connections) disconnect();
        });
        become('closed');
      }
      return closing;
    },
    ruleset: () => current?.ruleset,
    snapshot: () => current,
    reload() {
      if (held) apply(held, status);
    },
    refetch() {
      tag = null;
      return closing ?? turns.rerun();
    },
  };
};
