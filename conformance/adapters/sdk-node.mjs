/**
 * The adapter of sdk-node: it evaluates through a client that is created as users do, with the SDK's own `fetch`, and
 * controls time by replacing global timers and clocks.
 */

import { evaluateCommands } from './lib/evaluate-commands.mjs';
import { serveJsonLines } from './lib/json-lines.mjs';
import { nodeThreads } from './lib/node-threads.mjs';
import { withRemoteClients } from './lib/remote-clients.mjs';
import { createNodeClient } from './lib/sdk-node.mjs';
import { versionOf } from './lib/version.mjs';
import { nodeClientCommands } from './sdk-node-client.mjs';

let loaded;
serveJsonLines({
  hello: () => ({
    name: 'sdk-node',
    version: versionOf('@flagsvc/sdk-node'),
    language: 'typescript',
    runtime: `node ${process.versions.node}`,
    bucketing: [1, 2, 3],
    capabilities: [
      'evaluate',
      'polling',
      'events',
      'track',
      'bootstrap',
      'clock',
      'sse',
      'memory',
      'process',
      'workers',
      'fork',
      'gzip',
      'strict-utf8',
      'stream-rulesets',
    ],
  }),
  ...evaluateCommands({
    async load(ruleset) {
      await loaded?.close({ timeoutMs: 0 });
      // Nothing listens at this address: every result comes from the bootstrap.
      loaded = createNodeClient({
        apiKey: 'sdk-dev-vectors',
        baseUrl: 'http://127.0.0.1:9/api/v1',
        bootstrap: ruleset,
        events: false,
        logger: false,
        fetch: () => new Promise(() => {}),
      });
      // A default value of null accepts every type, so the result is the evaluator's own.
      const evaluate = (flag, context) => loaded.flagDetails(flag, context, null);
      return Object.assign(evaluate, { refused: loaded.status() === 'initializing' });
    },
  }),
  ...withRemoteClients(nodeClientCommands(), nodeThreads(new URL('sdk-node-thread.mjs', import.meta.url))),
  memory() {
    globalThis.gc?.();
    return { heapBytes: process.memoryUsage().heapUsed };
  },
});
