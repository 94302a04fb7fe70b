import { type BootstrapClient, pickBootstrap } from '../client/bootstrap.ts';
import type { ContextClient } from '../client/client-machine.ts';
import type { TrackData } from '../client/event-batcher.ts';
import { type ClientStatus, createListeners } from '../client/listeners.ts';
import { createServing } from '../client/serving.ts';
import type { FlagDefault, FlagKey, Flags } from '../protocol/flags.ts';
import type { Context, EvaluationResult, Json } from '../protocol/protocol.ts';

/** A `track` call as it was made. */
export interface TrackedEvent {
  readonly eventName: string;
  readonly context: Context;
  readonly data: TrackData | undefined;
}

/** A client whose flags are set by the test. It never fetches and never sends. */
export interface TestClient extends ContextClient, BootstrapClient {
  /** From now on the flag serves this value to everybody; listeners hear of it. */
  setFlag<Key extends FlagKey>(flagKey: Key, value: FlagDefault<Key>): void;
  /** From now on the flag is unknown. */
  removeFlag(flagKey: FlagKey): void;
  /** Listeners hear of it. Starts as `ready`. */
  setStatus(status: ClientStatus): void;
  /** What was tracked, in order. */
  readonly tracked: readonly TrackedEvent[];
}

/** Starts with the given values; all other flags are unknown and answer their default value. */
export const createTestClient = (
  values: Partial<Flags> & { readonly [flagKey: string]: unknown } = {},
): TestClient => {
  const results = new Map<string, EvaluationResult>();
  const tracked: TrackedEvent[] = [];
  const { on, off, emit, report } = createListeners(() => {});
  let recorded = 0;
  let status: ClientStatus = 'ready';
  const set = (flagKey: string, value: unknown) =>
    results.set(flagKey, { value: value as Json, reason: 'DEFAULT', rule_id: null, variation_key: 'test' });
  for (const [flagKey, value] of Object.entries(values)) set(flagKey, value);
  const answers = {
    evaluate: (flagKey: string) => results.get(flagKey),
    evaluateAll: () => Object.assign(Object.create(null), Object.fromEntries(results)),
  };
  const count = () => {
    recorded++;
  };
  const setStatus = (next: ClientStatus) => {
    status = next;
    emit('status', next);
  };

  return {
    ...createServing(() => answers, count, report),
    bootstrap: (_, flagKeys) => pickBootstrap(answers.evaluateAll(), flagKeys, () => false),
    track: (eventName, context, data) => void tracked.push({ eventName, context, data }),
    tracked,
    on,
    off,
    ruleset: () => undefined,
    status: () => status,
    ready: async () => status,
    flush: async () => {},
    close: async () => setStatus('closed'),
    stats: () => ({ recorded, delivered: 0, pending: recorded, dropped: 0, rulesetVersion: null }),
    setFlag(flagKey, value) {
      set(flagKey, value);
      emit('change', [flagKey]);
    },
    removeFlag(flagKey) {
      if (results.delete(flagKey)) emit('change', [flagKey]);
    },
    setStatus,
  };
};
