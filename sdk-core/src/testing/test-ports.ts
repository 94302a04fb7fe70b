import { jsonDecoder } from '../client/body-decoder.ts';
import {
  CLIENT_DEFAULTS,
  type ClientConfig,
  type ClientOptions,
  parseOptions,
} from '../client/client-options.ts';
import type { Fault } from '../client/errors.ts';
import type { LifecycleHandles, Ports, RulesetCache, SavedPayload } from '../client/ports.ts';
import { createScriptedFetch, type ScriptedFetch } from './scripted-fetch.ts';
import { createSeededRandom } from './seeded-random.ts';
import { createSimulatedClock, type SimulatedClock } from './simulated-clock.ts';
import { createTestController } from './test-controller.ts';

/** A ruleset cache in memory; `all` lists every payload that was saved. */
export const createMemoryCache = (saved?: SavedPayload): RulesetCache & { readonly all: SavedPayload[] } => {
  const all = saved ? [saved] : [];
  return { all, load: () => all.at(-1), save: (payload) => void all.push(payload) };
};

/** Simulated ports of one client, for tests. */
export interface TestPorts {
  readonly clock: SimulatedClock;
  readonly server: ScriptedFetch;
  readonly cache: ReturnType<typeof createMemoryCache>;
  /** All reported faults, in order. */
  readonly faults: Fault[];
  /** The handles that the client passed to its lifecycle; available once the client is created. */
  handles(): LifecycleHandles;
  /** A configuration for `createClient` on these ports: base address `http://test`, key `sdk-dev-test`. */
  config(options?: Partial<ClientOptions>, ports?: Partial<Ports>): ClientConfig;
}

export const createTestPorts = ({
  seed = 1,
  saved,
}: {
  seed?: number;
  saved?: SavedPayload;
} = {}): TestPorts => {
  const clock = createSimulatedClock();
  const server = createScriptedFetch(clock);
  const cache = createMemoryCache(saved);
  const faults: Fault[] = [];
  let connected: LifecycleHandles | undefined;
  return {
    clock,
    server,
    cache,
    faults,
    handles: () => connected!,
    config(options, ports) {
      const settings = parseOptions(
        { apiKey: 'sdk-dev-test', baseUrl: 'http://test', ...options },
        CLIENT_DEFAULTS,
      );
      return {
        ...settings,
        fetch: server.fetch,
        newController: createTestController,
        clock,
        random: createSeededRandom(seed),
        ...jsonDecoder,
        log: (fault) => void faults.push(fault),
        sdk: { name: 'flagsvc-test', version: '0.0.0', instance_id: `test-${seed}` },
        saved: cache.load(),
        save: cache.save,
        connect: (handles: LifecycleHandles) => {
          connected = handles;
          return () => {};
        },
        ...ports,
      };
    },
  };
};
