/** What SDKs and their users test with: time, network, dice and cache that do as they are told. No network, no wait. */
export {
  createScriptedFetch,
  type ScriptedFetch,
  type ScriptedReply,
  type SeenRequest,
} from './testing/scripted-fetch.ts';
export { createSeededRandom } from './testing/seeded-random.ts';
export { createSimulatedClock, type SimulatedClock } from './testing/simulated-clock.ts';
export { createTestClient, type TestClient, type TrackedEvent } from './testing/test-client.ts';
export { createTestController } from './testing/test-controller.ts';
export { createMemoryCache, createTestPorts, type TestPorts } from './testing/test-ports.ts';
export { createTestFlag, createTestRuleset } from './testing/test-ruleset.ts';
