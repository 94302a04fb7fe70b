/** The adapter of sdk-browser, run in a page: it connects to the WebSocket that the page's address names. */
import { createBrowserClient, localMode } from '@flagsvc/sdk-browser';
import { streaming } from '@flagsvc/sdk-browser/streaming';
import { answerTo } from './lib/answer.mjs';
import { clientCommands } from './lib/client-commands.mjs';

const { searchParams } = new URL(location.href);
const { setTimeout: wait } = globalThis;

let clients = 0;

/**
 * A client fetches only while it holds its lock, so a pending request for the lock counts as a pending request to the
 * server.
 */
const request = navigator.locks.request.bind(navigator.locks);
const countLocks = (network) => {
  navigator.locks.request = (name, options, callback) => {
    const done = network.begin();
    return request(name, options, (lock) => {
      done();
      return callback(lock);
    }).finally(done);
  };
};

/** A client in a page has one context, so the adapter sets the context of a call before it evaluates. */
const create = (config, network, onLog) => {
  const { seed: _seed, stream, baseUrl, ...options } = config;
  countLocks(network);
  const client = createBrowserClient({
    ...options,
    // Chromium opens at most six connections per host, and here one page holds many clients with a stream each. All
    // names below localhost resolve to this machine.
    baseUrl: baseUrl.replace('//127.0.0.1:', `//client-${++clients}.localhost:`),
    context: { user_key: 'u1' },
    mode: localMode(),
    cache: false,
    ...(stream && { streaming }),
    // Chromium keeps an aborted `keepalive` request open for 30 real seconds. On a virtual clock, such requests would
    // soon occupy all six connections per host.
    fetch: (url, init) => network.fetch(url, { ...init, keepalive: false }),
    logger: (fault, text) => onLog(`${text} ${JSON.stringify(fault)}`),
  });
  let current = JSON.stringify({ user_key: 'u1' });
  const become = async (context) => {
    const next = JSON.stringify(context);
    if (next === current) return;
    try {
      await client.setContext(context);
      current = next;
    } catch {
      // The client refuses an invalid context and keeps the previous one.
    }
  };
  return {
    ...client,
    async flagDetails(flag, context, fallback) {
      await become(context);
      return client.flagDetails(flag, fallback);
    },
    async evaluateAll(context) {
      await become(context);
      return client.evaluateAll();
    },
    async track(event, context, data) {
      await become(context);
      client.track(event, data);
    },
  };
};

const commands = {
  hello: () => ({
    name: 'sdk-browser',
    version: searchParams.get('version'),
    language: 'typescript',
    runtime: searchParams.get('browser'),
    bucketing: [1, 2, 3],
    capabilities: ['polling', 'events', 'track', 'bootstrap', 'clock', 'sse', 'memory'],
    inapplicable: {
      process: 'a page has no process of its own that could end',
      workers: 'a client for pages lives in a page',
      fork: 'a page cannot fork',
    },
  }),
  ...clientCommands({ create }),
  memory() {
    globalThis.gc();
    return { heapBytes: performance.memory.usedJSHeapSize };
  },
};

const dial = () => {
  const socket = new WebSocket(searchParams.get('adapter'));
  socket.onmessage = async ({ data }) => {
    const { stop, ...answer } = await answerTo(data, commands);
    socket.send(JSON.stringify(answer));
    if (stop) socket.close();
  };
  socket.onclose = () => wait(dial, 200);
};
dial();
