/** sdk-browser in a page, behind the adapter protocol: it dials the socket that the page's address names. */
import { createBrowserClient, localMode } from '@flagsvc/sdk-browser';
import { answerTo } from './lib/answer.mjs';
import { clientCommands } from './lib/client-commands.mjs';

const { searchParams } = new URL(location.href);
const { setTimeout: wait } = globalThis;

/** A page is for one user: the context belongs to the client, and is changed when another one is asked about. */
const create = (config, network, onLog) => {
  const { seed: _seed, stream, ...options } = config;
  const client = createBrowserClient({
    ...options,
    context: { user_key: 'u1' },
    mode: localMode(),
    cache: false,
    ...(stream && { streaming: true }),
    fetch: network.fetch,
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
      // A context that no page can have is refused, and the one before stays.
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
    bucketing: [1, 2],
    capabilities: ['polling', 'events', 'track', 'bootstrap', 'clock', 'sse'],
  }),
  ...clientCommands({ create }),
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
