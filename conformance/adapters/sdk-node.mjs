/**
 * sdk-node, behind the adapter protocol: evaluation through a client as users create it, its own `fetch`, and its
 * time by the globals that it tells time by.
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
    bucketing: [1, 2],
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
      // An address that nobody listens at: what is answered comes from the ruleset alone.
      loaded = createNodeClient({
        apiKey: 'sdk-dev-vectors',
        baseUrl: 'http://127.0.0.1:9/api/v1',
        bootstrap: ruleset,
        events: false,
        logger: false,
        fetch: () => new Promise(() => {}),
      });
      // A default of null states no type, so that the result is the wire's own.
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
