import { type BootstrapClient, pickBootstrap } from '../client/bootstrap.ts';
import type { ContextClient } from '../client/client-machine.ts';
import type { TrackData } from '../client/event-batcher.ts';
import { createFlagReader, type FlagReader } from '../client/flag-reader.ts';
import { type ClientStatus, createListeners } from '../client/listeners.ts';
import type { FlagDefault, FlagKey, Flags } from '../protocol/flags.ts';
import type { Context, EvaluationResult, Json } from '../protocol/protocol.ts';

/** A `track` call. */
export interface TrackedEvent {
  readonly eventName: string;
  readonly context: Context;
  readonly data: TrackData | undefined;
}

/** A client whose flags are set by the test. It never fetches and never sends. */
export interface TestClient extends ContextClient, BootstrapClient {
  /** Sets the flag's value for every user, and calls the listeners. */
  setFlag<Key extends FlagKey>(flagKey: Key, value: FlagDefault<Key>): void;
  /** Removes the flag, which is then unknown, and calls the listeners. */
  removeFlag(flagKey: FlagKey): void;
  /** Changes the status, which is `ready` at the start, and calls the listeners. */
  setStatus(status: ClientStatus): void;
  /** All `track` calls, in order. */
  readonly tracked: readonly TrackedEvent[];
}

/** A test client, and the parts from which a test client for pages is built. */
export interface TestMachine {
  readonly client: TestClient;
  /** Reads without counting. */
  readonly peeking: FlagReader;
}

/** Values by flag key. All other flags are unknown and serve the default value. */
export type TestValues = Partial<Flags> & { readonly [flagKey: string]: unknown };

/** Creates a test client with the given values, for packages that build their own test client on it. */
export const createTestMachine = (values: TestValues = {}): TestMachine => {
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
  const client: TestClient = {
    ...createFlagReader(() => answers, count, report),
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
    stats: () => ({
      recorded,
      delivered: 0,
      pending: recorded,
      dropped: 0,
      drops: { full: 0, invalid: 0, refused: 0, closed: 0 },
      rulesetVersion: null,
    }),
    setFlag(flagKey, value) {
      set(flagKey, value);
      emit('change', [flagKey]);
    },
    removeFlag(flagKey) {
      if (results.delete(flagKey)) emit('change', [flagKey]);
    },
    setStatus,
  };
  return {
    client,
    peeking: createFlagReader(
      () => answers,
      () => {},
      () => {},
    ),
  };
};

/** Creates a test client with the given values. */
export const createTestClient = (values?: TestValues): TestClient => createTestMachine(values).client;
