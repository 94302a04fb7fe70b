import { type BenchServer, startServer } from '../../reference-server/bench/start-server.ts';
import { createToggle, type Toggle } from '../../reference-server/bench/toggle.ts';

/** A reference server with flags, and a key for its relay. */
export interface BenchUpstream {
  readonly url: string;
  readonly server: BenchServer;
  readonly relayKey: string;
  readonly toggle: Toggle;
}

export async function startBenchUpstream(flags: number): Promise<BenchUpstream> {
  const server = await startServer({ setup: { flags } });
  const url = `http://127.0.0.1:${server.port}`;
  const toggle = await createToggle(`${url}/api/v1`);
  const response = await fetch(`${url}/api/v1/environments/${toggle.environmentId}/api-keys`, {
    method: 'POST',
    headers: { authorization: `Bearer ${toggle.accessToken}`, 'content-type': 'application/json' },
    body: JSON.stringify({ name: 'relay', kind: 'relay' }),
  });
  const { data } = (await response.json()) as { data: { key: string } };
  return { url, server, relayKey: data.key, toggle };
}
