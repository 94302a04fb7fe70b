import { createBrowserClient, localMode } from '@flagsvc/sdk-browser';
import { createTestFlag, createTestRuleset } from '@flagsvc/sdk-core/testing';
import { FlagProvider, useFlag } from '@flagsvc/sdk-react';
import { createElement } from 'react';
import type { CreateSubject, Values } from '../subject.ts';

export const create: CreateSubject = async (values) => {
  let version = 0;
  const rulesetOf = (next: Values) =>
    createTestRuleset(
      Object.entries(next).map(([key, value]) => createTestFlag(key, value)),
      ++version,
    );
  let ruleset = rulesetOf(values);
  let answer = () => {};
  const client = createBrowserClient({
    apiKey: 'sdk-dev-bench',
    baseUrl: 'http://test',
    context: { user_key: 'u1' },
    mode: localMode(),
    cache: false,
    events: false,
    pollIntervalMs: 30,
    fetch: async () => {
      setTimeout(answer, 5);
      return new Response(JSON.stringify({ data: ruleset }), { headers: { etag: `"${version}"` } });
    },
  });
  await client.ready();
  return {
    Provider: ({ children }) => createElement(FlagProvider, { client, children }),
    useFlag: (flagKey) => useFlag(flagKey, false),
    publish(next) {
      ruleset = rulesetOf(next);
      return new Promise<void>((resolve) => {
        answer = resolve;
      });
    },
    setContext: () => client.setContext({ user_key: 'u1', attributes: { plan: `${version}` } }),
  };
};
