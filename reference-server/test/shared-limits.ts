import { setTimeout } from 'node:timers/promises';
import pino from 'pino';
import { expect } from 'vitest';
import { buildServer } from '../src/app/build-server.ts';
import { openLimits } from '../src/process/open-limits.ts';
import { openDatabase } from '../src/storage/open-database.ts';
import { PASSWORD, SECRETS } from './server.ts';
import { startServer } from './server-process.ts';

/** Three nodes on one database, which share their limits. */
export interface Nodes {
  readonly urls: readonly string[];
  /** A new SDK key of production. */
  createKey(): Promise<string>;
  close(): Promise<void>;
}

/** Nodes that are processes of their own. */
export interface NodeProcesses extends Nodes {
  /** What the processes have logged. */
  log(): string;
  /** The text of `/metrics` of each process. */
  metrics(): Promise<readonly string[]>;
}

export const RULESET_LIMIT = 100;
const AUTH_LIMIT = 6;

/** Starts three processes. `env` names what they share. */
export async function startProcesses(env: Readonly<Record<string, string>>): Promise<NodeProcesses> {
  const configuration = {
    FLAGSVC_RATE_LIMITS: `ruleset=${RULESET_LIMIT},auth=${AUTH_LIMIT}`,
    FLAGSVC_TRUST_PROXY: '127.0.0.1',
    FLAGSVC_METRICS_PORT: '0',
    ...env,
  };
  // The first process creates the tables.
  const first = startServer(configuration);
  const urls = [await first.url];
  const others = [startServer(configuration), startServer(configuration)];
  for (const { url } of others) urls.push(await url);
  const all = [first, ...others];
  return {
    urls,
    createKey: await enterFirst(urls),
    log: () => all.map(({ output }) => output.out).join(''),
    metrics: () =>
      Promise.all(
        all.map(async ({ output }) => {
          const [address] = /http:\/\/[^/]+\/metrics/.exec(output.out)!;
          return (await fetch(address)).text();
        }),
      ),
    async close() {
      for (const { child, exit } of all) {
        child.kill();
        await exit;
      }
    },
  };
}

/** Starts three nodes in this process, each with its own connections and counts: a process takes seconds to start. */
export async function startNodes(databaseUrl: string): Promise<Nodes> {
  const all: { readonly url: string; close(): Promise<void> }[] = [];
  for (let count = 0; count < 3; count++) all.push(await startNode(databaseUrl));
  const urls = all.map(({ url }) => url);
  return {
    urls,
    createKey: await enterFirst(urls),
    async close() {
      for (const node of all) await node.close();
    },
  };
}

async function startNode(databaseUrl: string) {
  const db = await openDatabase(databaseUrl);
  const config = {
    apiSecretKey: SECRETS.apiSecretKey,
    rateLimits: { ruleset: RULESET_LIMIT, auth: AUTH_LIMIT },
    redisUrl: null,
    // On a busy machine, an answer takes longer than a request would wait.
    patienceMs: 60_000,
  };
  const { close, ...limits } = await openLimits(config, db, pino({ level: 'silent' }));
  const version = '0.0.0-test';
  const app = await buildServer({ db, ...SECRETS, ...limits, version, trustProxy: ['127.0.0.1'] });
  return {
    url: await app.listen({ port: 0, host: '127.0.0.1' }),
    async close() {
      await app.close();
      await close();
      await db.destroy();
    },
  };
}

/** Registers an admin at the first node. Returns the function that creates keys. */
async function enterFirst([origin]: readonly string[]): Promise<() => Promise<string>> {
  const ask = async <T>(path: string, body?: object, token?: string): Promise<T> => {
    const response = await fetch(`${origin}/api/v1${path}`, {
      method: body === undefined ? 'GET' : 'POST',
      headers: {
        'content-type': 'application/json',
        ...(token !== undefined && { authorization: `Bearer ${token}` }),
        'x-forwarded-for': '192.0.2.1',
      },
      ...(body && { body: JSON.stringify(body) }),
    });
    return ((await response.json()) as { data: T }).data;
  };
  const admin = { email: 'admin@example.com', password: PASSWORD };
  await ask('/auth/register', admin);
  const { access_token: token } = await ask<{ access_token: string }>('/auth/login', admin);
  const [project] = await ask<[{ default_environment_id: string }]>('/projects', undefined, token);
  const path = `/environments/${project.default_environment_id}/api-keys`;
  return async () => (await ask<{ key: string }>(path, { name: 'k' }, token)).key;
}

/** The status of a poll of the ruleset. */
async function poll(url: string, key: string): Promise<number> {
  const response = await fetch(`${url}/api/v1/sdk/ruleset`, { headers: { 'x-api-key': key } });
  await response.arrayBuffer();
  return response.status;
}

/** Sends this many polls to each process at once. Returns how many of them passed. */
export async function burst({ urls }: Nodes, key: string, counts: readonly number[]): Promise<number> {
  const polls = urls.flatMap((url, index) => Array.from({ length: counts[index]! }, () => poll(url, key)));
  return (await Promise.all(polls)).filter((status) => status === 200).length;
}

/** 20 polls a second, spread over the nodes, after 60 at once that save three seconds. */
export async function expectSteadyLimit(nodes: Nodes): Promise<void> {
  const key = await nodes.createKey();
  // Each node looks the key up once.
  expect(await burst(nodes, key, [20, 20, 20])).toBe(60);
  const polls: Promise<number>[] = [];
  const startedAt = performance.now();
  for (let count = 0; count < 70; count++) {
    await setTimeout(Math.max(0, startedAt + count * 50 - performance.now()));
    polls.push(poll(nodes.urls[count % 3]!, key));
  }
  const passed = (await Promise.all(polls)).map((status) => status === 200);
  const count = 60 + passed.filter(Boolean).length;
  expect(count).toBeGreaterThanOrEqual(RULESET_LIMIT);
  expect(count).toBeLessThanOrEqual(110);
  expect(passed.slice(-15)).not.toContain(true);
}

/** A burst that is over before the processes know of each other's counts. */
export async function expectBurstLimit(nodes: Nodes): Promise<void> {
  const key = await nodes.createKey();
  const passed = await burst(nodes, key, [130, 120, 50]);
  expect(passed).toBeGreaterThanOrEqual(RULESET_LIMIT);
  // What the three processes would let pass without each other: 100, 100 and 50.
  expect(passed).toBeLessThanOrEqual(250);
  // After two exchanges, every process knows that the limit is used up.
  await expect.poll(() => burst(nodes, key, [1, 1, 1])).toBe(0);
  expect(await burst(nodes, key, [10, 10, 10])).toBe(0);
}

async function login(url: string, email: string, address: string): Promise<number> {
  const response = await fetch(`${url}/api/v1/auth/login`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-forwarded-for': address },
    body: JSON.stringify({ email, password: 'a wrong guess' }),
  });
  await response.arrayBuffer();
  return response.status;
}

/** Logins of one address at the same moment, at accounts that do not exist. */
export async function expectExactLogins({ urls }: Nodes, address: string): Promise<void> {
  const statuses = await Promise.all(
    Array.from({ length: 4 * AUTH_LIMIT }, (_, index) =>
      login(urls[index % 3]!, `nobody-${index}@example.com`, address),
    ),
  );
  expect(statuses.filter((status) => status === 401)).toHaveLength(AUTH_LIMIT);
  expect(statuses.filter((status) => status === 429)).toHaveLength(3 * AUTH_LIMIT);
}

/** Guesses at one account from many addresses. A process that counted alone would see only a third of them. */
export async function expectSharedBackoff({ urls }: Nodes, network: string): Promise<void> {
  const statuses: number[] = [];
  for (let guess = 0; guess < 15 && !statuses.includes(429); guess++) {
    statuses.push(await login(urls[guess % 3]!, `victim-${network}@example.com`, `${network}.${guess}`));
  }
  expect(statuses.slice(0, 10)).toEqual(Array.from({ length: 10 }, () => 401));
  expect(statuses.at(-1)).toBe(429);
}
