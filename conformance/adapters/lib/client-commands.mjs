import { createNetwork } from './network.mjs';
import { decodeTagged } from './tags.mjs';
import { createSeededRandom, createVirtualClock } from './virtual-clock.mjs';

/**
 * The commands `client.*`, `clock.*`, `notifications` and `reset`. `create(config, network, onLog)` returns an object
 * with `flagDetails`, `evaluateAll`, `status`, `stats`, `on`, `track`, `flush`, `ready` and `close`, and calls `onLog`
 * with every line that the SDK logs.
 */
export const clientCommands = ({ create }) => {
  const clock = createVirtualClock();
  const network = createNetwork(globalThis.fetch.bind(globalThis), { setTimeout: clock.real.setTimeout });
  const clients = new Map();
  const find = (id) => {
    const found = clients.get(id);
    if (!found) throw new Error(`there is no client ${id}`);
    return found;
  };
  const advance = async (ms) => {
    const before = network.activity();
    const left = await clock.advance(ms, network.settle, () => network.activity() !== before);
    return { left, pending: network.pending() };
  };
  return {
    'client.create'({ id, config }) {
      const received = { changes: [], statuses: [], errors: [], logs: [] };
      Math.random = createSeededRandom(config.seed ?? 1);
      const client = create({ ...config, bootstrap: decodeTagged(config.bootstrap) }, network, (line) =>
        received.logs.push(line),
      );
      client.on?.('change', (keys) => received.changes.push([...keys].sort()));
      client.on?.('status', (status) => received.statuses.push(status));
      client.on?.('error', (fault) => received.errors.push(fault));
      clients.set(id, { client, received });
    },
    'client.evaluate'({ id, flag, context, fallback }) {
      return find(id).client.flagDetails(flag, decodeTagged(context), fallback);
    },
    'client.evaluateAll': ({ id, context }) => find(id).client.evaluateAll(decodeTagged(context)),
    'client.status'({ id }) {
      const { client } = find(id);
      const { rulesetVersion = null, ...eventCounts } = client.stats?.() ?? {};
      return { status: client.status(), ruleset_version: rulesetVersion, ...eventCounts };
    },
    'client.ready': async ({ id, timeoutMs }) => ({ status: await find(id).client.ready({ timeoutMs }) }),
    'client.flush': async ({ id }) => void (await find(id).client.flush()),
    'client.close': async ({ id, timeoutMs }) =>
      void (await find(id).client.close(timeoutMs === undefined ? undefined : { timeoutMs })),
    'client.track': ({ id, event, context, data }) =>
      void find(id).client.track(event, decodeTagged(context), decodeTagged(data) ?? undefined),
    notifications({ id }) {
      const { received } = find(id);
      const copy = { ...received };
      for (const name of Object.keys(received)) received[name] = [];
      return copy;
    },
    'clock.start': ({ now }) => clock.start(now),
    'clock.stop': () => clock.stop(),
    'clock.advance': ({ ms }) => advance(ms),
    async 'clock.sleep'({ ms }) {
      clock.sleep(ms);
      return advance(0);
    },
    'clock.jump': ({ ms }) => clock.jump(ms),
    async reset() {
      const closed = [...clients.values()].map(({ client }) => client.close({ timeoutMs: 0 }));
      clients.clear();
      if (clock.installed()) await clock.advance(0, network.settle, () => false);
      await Promise.race([
        Promise.all(closed),
        new Promise((resolve) => clock.real.setTimeout(resolve, 200)),
      ]);
    },
  };
};
