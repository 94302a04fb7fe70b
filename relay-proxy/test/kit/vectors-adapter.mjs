/**
 * The kit's adapter of a relay with sdk-node behind it. `load` starts a relay on a server that has only this ruleset.
 * Each call is evaluated by sdk-node, which got the ruleset from the relay, and by the relay's `POST /evaluate`; both
 * must give the same result.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { createServerLog } from '@flagsvc/reference-server/data-plane';
import { createNodeClient } from '@flagsvc/sdk-node';
import { Skip } from '../../../conformance/adapters/lib/answer.mjs';
import { serveJsonLines } from '../../../conformance/adapters/lib/json-lines.mjs';
import { decodeTagged } from '../../../conformance/adapters/lib/tags.mjs';
import { createRelay } from '../../src/process/create-relay.ts';
import { KEY, startOrigin } from './origin.mjs';

const logger = createServerLog({ level: 'silent', color: false });
const origin = await startOrigin();
const folder = await mkdtemp(join(tmpdir(), 'flagsvc-kit-'));
let loads = 0;
let current;

const startRelay = async () => {
  const { app, source, start } = await createRelay({
    config: {
      upstreamUrl: `${origin.url}/api/v1`,
      keys: [KEY],
      dataDir: join(folder, String(loads++)),
      mode: 'poll',
      keyTrustMs: 60_000,
      spoolMaxBytes: 2 ** 20,
      signingKeys: [],
      rateLimits: {},
      trustProxy: [],
      corsOrigins: [],
    },
    version: '0.1.0',
    logger,
  });
  await app.ready();
  await start();
  const state = () => source.environments()[0];
  while (state().version === undefined && state().refusal === undefined) {
    await new Promise((resolve) => setTimeout(resolve, 2));
  }
  return {
    app,
    isRefused: state().version === undefined,
    url: await app.listen({ host: '127.0.0.1', port: 0 }),
  };
};

const stop = async () => {
  await current?.client.close({ timeoutMs: 0 });
  await current?.app.close();
  current = undefined;
};

const load = async (ruleset) => {
  await stop();
  if (!isPlain(ruleset)) throw new Skip('JSON cannot carry this ruleset');
  if (!(await origin.publish(ruleset))) throw new Skip('no server can publish this ruleset');
  const relay = await startRelay();
  if (relay.isRefused) {
    await relay.app.close();
    throw new Skip('no server publishes such a ruleset, and the relay refuses it');
  }
  const client = createNodeClient({
    apiKey: KEY,
    baseUrl: `${relay.url}/api/v1`,
    events: false,
    logger: false,
  });
  current = { ...relay, client };
  return { refused: (await client.ready({ timeoutMs: 5_000 })) !== 'ready' };
};

/** The result of the relay's API; undefined when the API cannot take the context. */
const evaluateByApi = async (flag, context) => {
  const response = await fetch(`${current.url}/api/v1/evaluate`, {
    method: 'POST',
    headers: { 'x-api-key': KEY, 'content-type': 'application/json' },
    body: JSON.stringify({ flags: [flag], context }),
  });
  if (response.status !== 200) return undefined;
  const { data } = await response.json();
  return data.evaluations[flag];
};

/** Whether JSON carries the value as it is. */
const isPlain = (value) => isDeepStrictEqual(JSON.parse(JSON.stringify(value) ?? 'null'), value);

const evaluate = async ({ flag, context: tagged }) => {
  const context = decodeTagged(tagged);
  const result = current.client.flagDetails(flag, context, null);
  // `*` stands for all flags in the API.
  const api = flag !== '*' && isPlain(context) ? await evaluateByApi(flag, context) : undefined;
  if (api === undefined) return result;
  const own = JSON.parse(JSON.stringify(result));
  if (!isDeepStrictEqual(api, own)) {
    throw new Error(`POST /evaluate gives ${JSON.stringify(api)}, the SDK behind it ${JSON.stringify(own)}`);
  }
  return result;
};

process.stdin.once('end', async () => {
  await stop();
  await origin.close();
  await rm(folder, { recursive: true, force: true });
});

serveJsonLines({
  hello: () => ({
    name: 'relay',
    version: '0.1.0',
    language: 'typescript',
    runtime: `node ${process.versions.node}`,
    bucketing: [1, 2],
    capabilities: ['evaluate'],
  }),
  load: async ({ ruleset }) => ((await load(decodeTagged(ruleset))).refused ? { refused: true } : {}),
  async evaluate(request) {
    if (request.calls === undefined) return evaluate(request);
    const results = [];
    for (const call of request.calls) results.push(await evaluate(call));
    return { results };
  },
});
