import type { Ruleset } from '@flagsvc/sdk-core';
import Fastify from 'fastify';
import { ofrepPlugin } from '../../src/data-plane/ofrep/ofrep-plugin.ts';
import { dataPlanePlugin } from '../../src/data-plane/plugin.ts';
import type { KeyGrant, PublishedRuleset, RulesetLookup, ServingPath } from '../../src/data-plane/ports.ts';
import { createRulesetSigner } from '../../src/data-plane/ruleset/ruleset-signer.ts';
import { createServingPath } from '../../src/data-plane/serving-path.ts';
import { createMemoryRateStore } from '../../src/http/memory-rate-store.ts';
import { createRateLimiter } from '../../src/http/rate-limit.ts';
import { requestIdOf, sendRequestId } from '../../src/http/request-id.ts';
import { clientRuleset } from '../../src/publishing/compile.ts';
import { createDice } from '../flagd/random-project.ts';
import { openPipeline, type Pipeline } from './pipeline.ts';
import { randomRequest } from './random-requests.ts';
import { randomVersions } from './random-rulesets.ts';

/** A request that the two paths answer differently. */
export interface Difference {
  readonly request: string;
  readonly plain: string;
  readonly fast: string;
}

export interface Comparison {
  /** The number of requests that were sent to each path. */
  readonly requests: number;
  readonly difference: Difference | undefined;
}

const NOW = Date.parse('2026-11-20T10:00:00.123Z');
const signer = createRulesetSigner('a'.repeat(32));
/** Leaves texts unsealed, so that both servers send equal answers. */
const sealer = { seal: (text: string) => text, open: (text: string) => text };
const CONNECTIONS = 3;
const VERSIONS = 8;
const REQUESTS_PER_VERSION = 240;
/** One round in this many has rate limits low enough for its requests to reach them. */
const LIMITED_ROUNDS = 8;

/** Sends the same random requests to the plain path and to `fast`, until two answers differ or `requests` are sent. */
export async function comparePaths(fast: ServingPath, requests: number, seed = 1): Promise<Comparison> {
  let sent = 0;
  for (let round = 0; sent < requests; round++) {
    const dice = createDice(seed + round);
    const limit = round % LIMITED_ROUNDS === 1 ? 150 : 1e6;
    const servers = [
      await startServer(createServingPath({ fast: false }), limit),
      await startServer(fast, limit),
    ] as const;
    try {
      const etags: string[] = [];
      for (const ruleset of randomVersions(dice, VERSIONS)) {
        const [plain] = await Promise.all(servers.map((server) => server.publish(ruleset)));
        etags.push(plain!);
        const batches = Array.from({ length: CONNECTIONS }, (_, connection) =>
          Array.from({ length: REQUESTS_PER_VERSION / CONNECTIONS }, () =>
            randomRequest(dice, { ruleset, etags, connection }, `r-${sent++}`),
          ),
        );
        const difference = await findDifference(servers, batches);
        if (difference !== undefined) return { requests: sent, difference };
      }
    } finally {
      await Promise.all(servers.map((server) => server.close()));
    }
  }
  return { requests: sent, difference: undefined };
}

async function findDifference(
  servers: readonly [Server, Server],
  batches: readonly (readonly string[])[],
): Promise<Difference | undefined> {
  const [plain, fast] = await Promise.all(servers.map((server) => server.send(batches)));
  const requests = batches.flat();
  const at = plain!.findIndex((answer, index) => !answer.equals(fast![index]!));
  if (at < 0) return undefined;
  return { request: requests[at]!, plain: plain![at]!.toString(), fast: fast![at]!.toString() };
}

interface Server {
  /** Serves this version from now on. Returns its etag. */
  publish(ruleset: Ruleset): Promise<string>;
  /** Sends one batch per connection, all at once. */
  send(batches: readonly (readonly string[])[]): Promise<readonly Buffer[]>;
  close(): Promise<void>;
}

/** Grants by API key. Requests append the number of their connection to a key. */
const GRANTS: Readonly<Record<string, Partial<KeyGrant>>> = {
  server: { kind: 'server' },
  relay: { kind: 'relay' },
  client: { kind: 'client' },
  restricted: { kind: 'server', allowedIps: ['127.0.0.1'] },
  'looked-up': { kind: 'server' },
};

async function startServer(path: ServingPath, limit: number): Promise<Server> {
  let server: PublishedRuleset | undefined;
  let client: PublishedRuleset | undefined;
  const grants = new Map<string, KeyGrant | undefined>();
  const grantOf = (apiKey: string): KeyGrant | undefined => {
    const own = GRANTS[apiKey.replace(/-\d$/, '')];
    if (own === undefined) return undefined;
    // Evaluations count per environment. One environment per key keeps the order of counting fixed.
    const grant =
      grants.get(apiKey) ?? ({ keyId: apiKey, environmentId: `env_${apiKey}`, ...own } as KeyGrant);
    grants.set(apiKey, grant);
    return grant;
  };
  const isSlow = (apiKey: string): boolean => apiKey.startsWith('looked-up');
  const lookup: RulesetLookup = {
    authenticate: (apiKey) => (isSlow(apiKey) ? Promise.resolve(grantOf(apiKey)) : grantOf(apiKey)),
    recall: (apiKey) => (isSlow(apiKey) ? undefined : grantOf(apiKey)),
    current: (grant) => (grant.kind === 'client' ? Promise.resolve(client!) : server!),
    subscribe: () => () => {},
  };
  // Each server has a limiter of its own, both on a fixed clock.
  const limiter = createRateLimiter({
    limits: { ruleset: limit, evaluation: limit, credentials: 1e9 },
    store: createMemoryRateStore({ now: () => NOW, monotonic: () => 0 }),
  });
  const app = Fastify({ genReqId: ({ headers }) => requestIdOf(headers) });
  sendRequestId(app);
  app.register(dataPlanePlugin, {
    prefix: '/api/v1',
    lookup,
    limiter,
    signer,
    sink: { accept: () => Promise.reject(new Error('No events are sent.')) },
    now: () => NOW,
  });
  app.register(ofrepPlugin, { version: '0.0.0', lookup, limiter, sealer, now: () => NOW });
  path.answerPolls?.(app, { path: '/api/v1/sdk/ruleset', lookup, limiter });
  await app.listen({ host: '127.0.0.1', port: 0 });
  const { port } = app.server.address() as { port: number };
  const pipelines: Pipeline[] = await Promise.all(
    Array.from({ length: CONNECTIONS }, () => openPipeline(port)),
  );
  return {
    async publish(ruleset) {
      server = await path.prepare(ruleset, 'epoch', server);
      client = await path.prepare(clientRuleset(ruleset), 'epoch', client);
      await Promise.all([server.prepareBodies?.(), client.prepareBodies?.()]);
      return server.etag;
    },
    async send(batches) {
      const answers = await Promise.all(batches.map((batch, index) => pipelines[index]!.send(batch)));
      return answers.flat();
    },
    async close() {
      for (const pipeline of pipelines) pipeline.close();
      await app.close();
    },
  };
}
