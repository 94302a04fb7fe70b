/** OpenFeature's own scenarios, run against the server provider. */
import { createNodeClient } from '@flagsvc/sdk-node';
import { createOpenFeatureProvider } from '@flagsvc/sdk-node/openfeature';
import {
  AsyncLocalStorageTransactionContextPropagator,
  type EvaluationContext,
  type Hook,
  OpenFeature,
} from '@openfeature/server-sdk';
import { expect, test } from 'vitest';
import {
  type Bench,
  type Details,
  differencesOf,
  type ProviderState,
  ruleset,
  run,
  scenarios,
} from '../../conformance/openfeature/contract.ts';
import { until } from './loopback-server.ts';

const good = () => Response.json({ success: true, data: ruleset }, { headers: { etag: '"v1"' } });
const ANSWERS: Readonly<Record<ProviderState, (polls: number) => Response | Promise<Response>>> = {
  stable: good,
  not_ready: () => new Promise(() => {}),
  error: () => new Response('', { status: 500 }),
  fatal: () => new Response('', { status: 401 }),
  stale: (polls) => (polls === 1 ? good() : new Response('', { status: 500 })),
};

const open = async (state: ProviderState): Promise<Bench> => {
  let polls = 0;
  let asked: EvaluationContext = {};
  const flags = createNodeClient({
    apiKey: 'sdk-dev-openfeature',
    baseUrl: 'http://test',
    pollIntervalMs: state === 'stale' ? 30 : 30_000,
    events: false,
    logger: false,
    fetch: async () => ANSWERS[state](++polls),
  });
  const watched: typeof flags = {
    ...flags,
    flagDetails(flagKey, context, defaultValue) {
      asked = { ...context.attributes } as EvaluationContext;
      return flags.flagDetails(flagKey, context, defaultValue);
    },
  };
  const provider = createOpenFeatureProvider(watched, { timeoutMs: state === 'error' ? 50 : 5000 });
  const started = OpenFeature.setProviderAndWait(provider).catch(() => {});
  if (state !== 'not_ready') await started;
  const client = OpenFeature.getClient();
  if (state === 'stale') await until(() => flags.status() === 'stale');
  OpenFeature.setTransactionContextPropagator(new AsyncLocalStorageTransactionContextPropagator());
  let transaction: EvaluationContext = {};
  let invocation: EvaluationContext = {};
  let hooks: Hook[] = [];
  const setters = {
    API: (context: EvaluationContext) => void OpenFeature.setContext(context),
    Transaction: (context: EvaluationContext) => {
      transaction = context;
    },
    Client: (context: EvaluationContext) => void client.setContext(context),
    Invocation: (context: EvaluationContext) => {
      invocation = context;
    },
  };
  return {
    status: () => client.providerStatus,
    setContext: (level, context) => setters[level as keyof typeof setters](context as EvaluationContext),
    addHook(at, hook) {
      if (at === 'client') client.addHooks(hook as Hook);
      else hooks = [hook as Hook];
    },
    evaluate: (method, key, fallback) => {
      let details: Promise<Details> | undefined;
      OpenFeature.setTransactionContext(transaction, () => {
        details = client[method as 'getObjectDetails'](key, fallback as never, invocation, { hooks });
      });
      return details!;
    },
    receivedContext: () => asked as never,
    async close() {
      await flags.close({ timeoutMs: 0 });
      await started;
      await OpenFeature.clearProviders();
      OpenFeature.setContext({});
    },
  };
};

const differences = differencesOf('sdk-node');
test.each(scenarios.map((scenario) => [scenario.id, scenario] as const))('%s', async (id, scenario) => {
  const wrong = await run(scenario, open);
  const reason = differences.get(id);
  if (reason) expect(wrong, `passes, though differences.json says: ${reason}`).not.toEqual([]);
  else expect(wrong).toEqual([]);
});
