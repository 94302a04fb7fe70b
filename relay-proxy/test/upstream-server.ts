import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { cp, mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'vitest';
import type { Api } from '../../reference-server/test/api.ts';
import { connect, install } from '../../reference-server/test/installation.ts';
import { type ServerProcess, startServer } from '../../reference-server/test/server-process.ts';
import { freePort } from '../../scripts/free-port.ts';

type KeyKind = 'server' | 'client' | 'relay';

interface NewKey {
  readonly id: string;
  readonly key: string;
}

/** An environment besides the one with the flags. */
export interface OtherEnvironment {
  readonly environmentId: string;
  createKey(kind: KeyKind): Promise<NewKey>;
  revoke(keyId: string): Promise<unknown>;
}

/** A real server process on a fixed port, with a database on disk, which can be killed and started again. */
export interface UpstreamServer {
  readonly url: string;
  readonly admin: Api;
  readonly environmentId: string;
  readonly projectId: string;
  /** A new API key of the environment; `more` are further fields of its request. */
  createKey(kind: KeyKind, more?: object): Promise<NewKey>;
  /** A new API key of each kind. */
  createKeys(): Promise<Readonly<Record<KeyKind, string>>>;
  /** Another environment of the project. */
  inEnvironment(key: string): Promise<OtherEnvironment>;
  /** Copies the database, and starts the server again. */
  copyDatabase(): Promise<string>;
  /** Puts a copy in place of the database as an operator would, and starts the server again. */
  restoreDatabase(copy: string): Promise<void>;
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
  const data = join(folder, 'data');
  await mkdir(data);
  const env = {
    FLAGSVC_DATABASE_URL: `sqlite:${join(data, 'flags.db')}`,
    FLAGSVC_PORT: String(port),
    FLAGSVC_RATE_LIMITS:
      'evaluation=10000000,ruleset=10000000,events=100000,credentials=10000000,management=100000',
  };
  const start = async (): Promise<void> => {
    server = startServer(env);
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
  const createKeyOf = async (environment: string, kind: KeyKind, more: object = {}): Promise<NewKey> => {
    const { id, key } = await admin.apiKeys.create(environment, { name: kind, kind, ...more });
    return { id, key: key! };
  };
  const createKey = (kind: KeyKind, more?: object) => createKeyOf(environmentId, kind, more);
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
    async inEnvironment(key) {
      const { id } = (await admin.environments.listOf(project!.id)).find((each) => each.key === key)!;
      return {
        environmentId: id,
        createKey: (kind) => createKeyOf(id, kind),
        revoke: (keyId) => admin.apiKeys.revoke(keyId),
      };
    },
    async copyDatabase() {
      const copy = join(folder, `copy-${randomUUID()}`);
      await kill();
      await cp(data, copy, { recursive: true });
      await start();
      return copy;
    },
    async restoreDatabase(copy) {
      await kill();
      await rm(data, { recursive: true });
      await cp(copy, data, { recursive: true });
      const { exit, output } = startServer(env, { command: ['renew-epochs'] });
      expect([await exit, output.err]).toEqual([0, '']);
      await start();
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
