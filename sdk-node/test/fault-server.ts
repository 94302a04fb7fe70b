// Run by fault-servers.ts in a thread of its own, so that measurements of the client exclude the servers' work.
import type { ServerResponse } from 'node:http';
import { parentPort } from 'node:worker_threads';
import { createTestRuleset } from '@flagsvc/sdk-core/testing';
import { FAULTS } from './faults.ts';
import { type Answer, json, type LoopbackServer, startLoopbackServer } from './loopback-server.ts';

/** A command for one server. */
export type Order =
  | { readonly do: 'open' | 'close' | 'polls' }
  /** Serves and announces this version, except on the named paths, which stay faulty. */
  | { readonly do: 'serve'; readonly version: number; readonly stillBroken: readonly string[] }
  | {
      readonly do: 'break';
      readonly fault: string;
      readonly paths: readonly string[];
      readonly afterMs: number;
    };

interface Server {
  http: LoopbackServer;
  readonly streams: Set<ServerResponse>;
}

const servers = new Map<number, Server>();

const serve = (server: Server, version: number, stillBroken: readonly string[]) => {
  const etag = `"v${version}"`;
  const announce = (response: ServerResponse) =>
    response.write(
      `event: ruleset.updated\ndata: ${JSON.stringify({ version, etag, refetch_within_ms: 0 })}\n\n`,
    );
  const answers: Record<string, Answer> = {
    '/sdk/events': (_, response) => void response.writeHead(202).end('{}'),
    '/sdk/ruleset': json({ data: createTestRuleset({ greeting: `v${version}` }, version) }, etag),
    '/sdk/stream': (_, response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      server.streams.add(response);
      response.on('close', () => server.streams.delete(response));
      announce(response);
    },
  };
  for (const [path, answer] of Object.entries(answers))
    if (!stillBroken.includes(path)) server.http.on(path, answer);
  for (const stream of server.streams) announce(stream);
};

const obey = async (id: number, order: Order): Promise<number> => {
  if (order.do === 'open') servers.set(id, { http: await startLoopbackServer(), streams: new Set() });
  const server = servers.get(id)!;
  const port = Number(new URL(server.http.baseUrl).port);
  if (order.do === 'serve') {
    if (!server.http.isOpen()) server.http = await startLoopbackServer(port);
    serve(server, order.version, order.stillBroken);
  }
  if (order.do === 'break') {
    const fault = FAULTS[order.fault]!;
    if (fault === 'stop') await server.http.close();
    else if (fault === 'hide') server.http.drop();
    else {
      const late: Answer = (...about) => void setTimeout(() => fault(...about), order.afterMs);
      for (const path of order.paths) server.http.on(path, order.afterMs ? late : fault);
      for (const stream of server.streams) stream.destroy();
    }
  }
  if (order.do === 'polls') return server.http.arrivals('/sdk/ruleset').length;
  if (order.do === 'close') {
    await server.http.close();
    servers.delete(id);
  }
  return port;
};

parentPort!.on('message', async ({ command, id, order }: { command: number; id: number; order: Order }) => {
  parentPort!.postMessage({ command, answer: await obey(id, order) });
});
