/** OpenFeature's own scenarios, run against the provider for pages in both modes. */
import { localMode, remoteMode } from '@flagsvc/sdk-browser';
import { createOpenFeatureProvider } from '@flagsvc/sdk-browser/openfeature';
import { createEvaluator } from '@flagsvc/sdk-core';
import type { ScriptedReply, SeenRequest } from '@flagsvc/sdk-core/testing';
import { type EvaluationContext, type Hook, OpenFeature } from '@openfeature/web-sdk';
import { describe, expect, test } from 'vitest';
import {
  type Bench,
  differencesOf,
  type ProviderState,
  ruleset,
  run,
  scenarios,
} from '../../conformance/openfeature/contract.ts';
import { EVALUATE, EVENTS, RULESET } from './answers.ts';
import { createFakeBrowser } from './fake-page.ts';

const evaluator = createEvaluator(ruleset);
const good = ({ path, body }: SeenRequest): ScriptedReply =>
  path === RULESET
    ? { headers: { etag: '"v1"' }, body: { data: ruleset } }
    : { body: { data: { evaluations: evaluator.evaluateAll(JSON.parse(body).context) } } };
const REPLIES: Readonly<Record<ProviderState, readonly (ScriptedReply | typeof good)[]>> = {
  stable: [good],
  not_ready: [{ delayMs: Number.POSITIVE_INFINITY }],
  error: [{ status: 500 }],
  fatal: [{ status: 401 }],
  stale: [good, { status: 500 }],
};
/** Waits for OpenFeature's promises, which the simulated clock does not settle. */
const ticks = async () => {
  for (let i = 0; i < 3; i++) await new Promise((resolve) => setTimeout(resolve));
};

const openIn =
  (mode: typeof localMode) =>
  async (state: ProviderState): Promise<Bench> => {
    const { openTab, clock, server } = createFakeBrowser();
    for (const path of [RULESET, EVALUATE]) server.script(path, ...REPLIES[state]);
    server.script(EVENTS, { status: 202 });
    const flags = openTab().open({ mode: mode(), cache: false });
    const provider = createOpenFeatureProvider(flags, { timeoutMs: 3000 });
    const started = OpenFeature.setProviderAndWait(provider).catch(() => {});
    await ticks();
    if (state !== 'not_ready') {
      await clock.advance(state === 'error' ? 3000 : 0);
      await started;
    }
    if (state === 'stale') await clock.advance(40_000);
    await ticks();
    const client = OpenFeature.getClient();
    let hooks: Hook[] = [];
    return {
      status: () => client.providerStatus,
      async setContext(level, context) {
        // The page has a single context, which is set before each evaluation.
        if (level !== 'API' && level !== 'Invocation') throw new Error(`no context at level ${level}`);
        if (level === 'Invocation' && 'key' in context) throw new Error('no context at level Invocation');
        const settled = OpenFeature.setContext(context as EvaluationContext);
        await ticks();
        await clock.advance(0);
        await settled;
      },
      addHook(at, hook) {
        if (at === 'client') client.addHooks(hook as Hook);
        else hooks = [hook as Hook];
      },
      evaluate: (method, key, fallback) =>
        client[method as 'getObjectDetails'](key, fallback as never, { hooks }),
      receivedContext: () => (flags.context().attributes ?? {}) as never,
      async close() {
        await flags.close({ timeoutMs: 0 });
        await clock.advance(0);
        await OpenFeature.clearProviders();
        await OpenFeature.setContext({});
      },
    };
  };

describe.each([
  ['sdk-browser, local evaluation', localMode],
  ['sdk-browser, remote evaluation', remoteMode as typeof localMode],
])('%s', (subject, mode) => {
  const differences = differencesOf(subject);
  test.each(scenarios.map((scenario) => [scenario.id, scenario] as const))('%s', async (id, scenario) => {
    const wrong = await run(scenario, openIn(mode));
    const reason = differences.get(id);
    if (reason) expect(wrong, `passes, though differences.json says: ${reason}`).not.toEqual([]);
    else expect(wrong).toEqual([]);
  });
});
