import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Api } from '../../reference-server/test/api.ts';
import { connect, install } from '../../reference-server/test/installation.ts';
import { type ServerProcess, startServer } from '../../reference-server/test/server-process.ts';
import { freePort } from '../../scripts/free-port.ts';

type KeyKind = 'server' | 'client' | 'relay';

/** A real server process on a fixed port, with a database on disk, which can be killed and started again. */
export interface UpstreamServer {
  readonly url: string;
  readonly admin: Api;
  readonly environmentId: string;
  readonly projectId: string;
  /** A new API key of the environment; `more` are further fields of its request. */
  createKey(kind: KeyKind, more?: object): Promise<{ readonly id: string; readonly key: string }>;
  /** A new API key of each kind. */
  createKeys(): Promise<Readonly<Record<KeyKind, string>>>;
  kill(): Promise<void>;
  start(): Promise<void>;
  /** Sends a signal, such as SIGSTOP, which freezes the server. */
  signal(name: NodeJS.Signals): void;
  close(): Promise<void>;
}

/** Starts a server with this many boolean flags: `flag-0`, `flag-1` and so on. */
export async function startUpstream(flags: number): Promise<UpstreamServer> {
  const folder = await mkdtemp(join(tmpdir(), 'flagsvc-upstream-'));
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  let server: ServerProcess;
  const start = async (): Promise<void> => {
    server = startServer({
      FLAGSVC_DATABASE_URL: `sqlite:${join(folder, 'flags.db')}`,
      FLAGSVC_PORT: String(port),
      FLAGSVC_RATE_LIMITS:
        'evaluation=10000000,ruleset=10000000,events=100000,credentials=10000000,management=100000',
    });
    await server.url;
  };
  const kill = async (): Promise<void> => {
    if (server.child.exitCode !== null || server.child.signalCode !== null) return;
    server.child.kill('SIGKILL');
    await once(server.child, 'exit');
  };
  await start();
  const installation = await install(url, flags);
  const { environmentId } = installation;
  const { admin } = connect(url, installation);
  const [project] = await admin.projects.list();
  const createKey = async (kind: KeyKind, more: object = {}) => {
    const { id, key } = await admin.apiKeys.create(environmentId, { name: kind, kind, ...more });
    return { id, key: key! };
  };
  return {
    url,
    admin,
    environmentId,
    projectId: project!.id,
    createKey,
    async createKeys() {
      const [server, client, relay] = [
        await createKey('server'),
        await createKey('client'),
        await createKey('relay'),
      ];
      return { server: server.key, client: client.key, relay: relay.key };
    },
    kill,
    start,
    signal: (name) => void server.child.kill(name),
    async close() {
      await kill();
      await rm(folder, { recursive: true });
    },
  };
}
