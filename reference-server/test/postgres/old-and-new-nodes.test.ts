import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type Api, createApi } from '../api.ts';
import { codeOf, type RawAnswer } from '../api-call.ts';
import type { SharedDatabase } from '../database.ts';
import { enter } from '../server.ts';
import { type ServerProcess, startServer } from '../server-process.ts';
import { createHttpTransport } from '../transports.ts';
import { ADMIN, FLAG_KEYS } from '../upgrades/fill-every-table.ts';
import { loadRelease } from '../upgrades/load-release.ts';
import { nodeEnvironment, type OldServer, unpackServer } from '../upgrades/old-server.ts';
import { RELEASES, readFacts } from '../upgrades/release-files.ts';

/** Requests under way to each node. */
const CONCURRENCY = 4;
const TOGGLES = 10;
/** Between two requests of a worker. The limit of management is 1,000 requests a minute for each user. */
const PAUSE_MS = 80;
/** A version must work beside the two before it. */
const SUPPORTED = RELEASES.slice(-2);

interface Node {
  readonly process: ServerProcess;
  readonly api: Api;
  readonly evaluate: () => Promise<RawAnswer>;
}

// Beside other tests, each start of a server takes up to half a minute.
describe.each(SUPPORTED)('nodes of %s', { timeout: 180_000 }, (release) => {
  const { apiKey, flags } = readFacts(release).postgres;
  const flagId = flags.find(({ key }) => key === 'flag-1')!.id;
  let old: OldServer;
  let database: SharedDatabase;
  let processes: ServerProcess[];
  beforeEach(async () => {
    old = unpackServer(release);
    database = await loadRelease(release);
    processes = [];
  });
  afterEach(async () => {
    for (const process of processes) await stop(process);
    await database.remove();
    old.remove();
  });

  async function connect(process: ServerProcess): Promise<Node> {
    processes.push(process);
    const transport = createHttpTransport(await process.url);
    const { api } = await enter({ call: transport }, ADMIN.email);
    const [project] = await api.projects.list();
    const environments = await api.environments.listOf(project!.id);
    const { dataPlane } = createApi({ transport, apiKey });
    return {
      process,
      api: api.in(environments.find(({ type }) => type === 'production')!.id),
      evaluate: () =>
        dataPlane.evaluate({
          flags: FLAG_KEYS,
          context: { user_key: 'user-1', attributes: { plan: 'free' } },
        }).answer,
    };
  }

  const startOld = () => connect(old.start(database.url));
  const startNew = () => connect(startServer(nodeEnvironment(database.url)));

  async function toggle(by: Node, enabled: boolean, nodes: readonly Node[]): Promise<void> {
    await expect.poll(() => codeOf(by.api.flags.toggle(flagId, enabled))).toBe('OK');
    for (const node of nodes) {
      await expect.poll(() => isServed(node), { interval: 20 }).toBe(enabled);
    }
  }

  test('serve under load while a new node migrates their database, and serve each other’s changes', async () => {
    const first = await startOld();
    const load = createLoad();
    load.add(first);
    await load.answered(100);
    const second = await startNew();
    load.add(second);
    for (let count = 0; count < TOGGLES; count++) {
      const by = count % 2 === 0 ? first : second;
      await toggle(by, count % 2 === 0, [first, second]);
    }
    expect(await load.stop()).toEqual([]);
  });

  test('start again on the migrated database, so that an upgrade can be taken back', async () => {
    const next = await startNew();
    const back = await startOld();
    await toggle(back, true, [next, back]);
    await stop(next.process);
    await toggle(back, false, [back]);
  });

  /** Whether the flag is on for clients of a node. */
  async function isServed(node: Node): Promise<boolean | undefined> {
    const { status, body } = await node.evaluate();
    return status === 200 ? body.data.evaluations['flag-1'].reason !== 'DISABLED' : undefined;
  }
});

async function stop({ child, exit }: ServerProcess): Promise<void> {
  child.kill('SIGTERM');
  expect(await exit).toBe(0);
}

/** Sends evaluations, rulesets, lists and writes to all nodes until it is stopped. */
function createLoad() {
  const failures: string[] = [];
  const workers: Promise<void>[] = [];
  let isStopped = false;
  let count = 0;
  const kinds: readonly ((node: Node, index: number) => Promise<RawAnswer>)[] = [
    ({ evaluate }) => evaluate(),
    ({ api }) => api.flags.list({ per_page: 50 }).answer,
    ({ api }) => api.audit.list({ per_page: 50 }).answer,
    async ({ api }, index) => {
      const [flag] = await api.flags.list({ search: 'flag-3' });
      return api.flags.update(flag!.id, { description: `Text ${index}` }).answer;
    },
  ];
  const fail = (kind: string, { code, message }: { code?: string; message: string }): void => {
    // The processes share a busy machine, and one that is overloaded asks its clients to come back later.
    if (code !== 'SERVICE_UNAVAILABLE') failures.push(`${kind}: ${code} ${message}`);
  };
  const work = async (node: Node, kind: number): Promise<void> => {
    for (let index = 0; !isStopped; index++) {
      await kinds[kind]!(node, index).then(
        ({ status, body }) => {
          count++;
          if (status >= 400) fail(`kind ${kind}`, body.error);
        },
        (error) => fail(`kind ${kind}`, error),
      );
      await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
    }
  };
  return {
    add(node: Node): void {
      for (let kind = 0; kind < CONCURRENCY; kind++) workers.push(work(node, kind));
    },
    /** Waits until so many requests have been answered. */
    answered: (wanted: number) => expect.poll(() => count).toBeGreaterThan(wanted),
    /** Returns the failures. */
    async stop(): Promise<readonly string[]> {
      isStopped = true;
      await Promise.all(workers);
      return failures;
    },
  };
}
