/**
 * The entry point for tests of SDKs and of their users: simulated time, network, randomness and cache. Nothing waits in
 * real time.
 */
export {
  createScriptedFetch,
  type ScriptedFetch,
  type ScriptedReply,
  type SeenRequest,
} from './testing/scripted-fetch.ts';
export { createSeededRandom } from './testing/seeded-random.ts';
export { createSimulatedClock, type SimulatedClock } from './testing/simulated-clock.ts';
export {
  createTestClient,
  createTestMachine,
  type TestClient,
  type TestMachine,
  type TestValues,
  type TrackedEvent,
} from './testing/test-client.ts';
export { createTestController } from './testing/test-controller.ts';
export { createMemoryCache, createTestPorts, type TestPorts } from './testing/test-ports.ts';
export { createTestFlag, createTestRuleset } from './testing/test-ruleset.ts';
