// Run in a thread by fault-world.ts: servers on the loopback address, put under faults and relieved of them, so that
// what they do does not count as the client's.
import type { ServerResponse } from 'node:http';
import { parentPort } from 'node:worker_threads';
import { createTestRuleset } from '@flagsvc/sdk-core/testing';
import { FAULTS } from './faults.ts';
import { type Answer, json, type LoopbackServer, startLoopbackServer } from './loopback-server.ts';

/** What a world asks of its server. */
export type Order =
  | { readonly do: 'open' | 'close' | 'polls' }
  /** This is the version that is served and told of. */
  | { readonly do: 'serve'; readonly version: number; readonly stillBroken: readonly string[] }
  | {
      readonly do: 'break';
      readonly fault: string;
      readonly paths: readonly string[];
      readonly afterMs: number;
    };

interface World {
  server: LoopbackServer;
  readonly streams: Set<ServerResponse>;
}

const worlds = new Map<number, World>();

const serve = (world: World, version: number, stillBroken: readonly string[]) => {
  const etag = `"v${version}"`;
  const tell = (response: ServerResponse) =>
    response.write(
      `event: ruleset.updated\ndata: ${JSON.stringify({ version, etag, refetch_within_ms: 0 })}\n\n`,
    );
  const answers: Record<string, Answer> = {
    '/sdk/events': (_, response) => void response.writeHead(202).end('{}'),
    '/sdk/ruleset': json({ data: createTestRuleset({ greeting: `v${version}` }, version) }, etag),
    '/sdk/stream': (_, response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      world.streams.add(response);
      response.on('close', () => world.streams.delete(response));
      tell(response);
    },
  };
  for (const [path, answer] of Object.entries(answers))
    if (!stillBroken.includes(path)) world.server.on(path, answer);
  for (const stream of world.streams) tell(stream);
};

const obey = async (id: number, order: Order): Promise<number> => {
  if (order.do === 'open') worlds.set(id, { server: await startLoopbackServer(), streams: new Set() });
  const world = worlds.get(id)!;
  const port = Number(new URL(world.server.baseUrl).port);
  if (order.do === 'serve') {
    if (!world.server.isOpen()) world.server = await startLoopbackServer(port);
    serve(world, order.version, order.stillBroken);
  }
  if (order.do === 'break') {
    const fault = FAULTS[order.fault]!;
    if (fault === 'stop') await world.server.close();
    else if (fault === 'hide') world.server.drop();
    else {
      const late: Answer = (...about) => void setTimeout(() => fault(...about), order.afterMs);
      for (const path of order.paths) world.server.on(path, order.afterMs ? late : fault);
      for (const stream of world.streams) stream.destroy();
    }
  }
  if (order.do === 'polls') return world.server.arrivals('/sdk/ruleset').length;
  if (order.do === 'close') {
    await world.server.close();
    worlds.delete(id);
  }
  return port;
};

parentPort!.on('message', async ({ ask, id, order }: { ask: number; id: number; order: Order }) => {
  parentPort!.postMessage({ ask, answer: await obey(id, order) });
});
