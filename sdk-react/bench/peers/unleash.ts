import { FlagProvider, UnleashClient, useFlag } from '@unleash/proxy-client-react';
import { createElement } from 'react';
import type { CreateSubject } from '../subject.ts';

export const create: CreateSubject = async (values) => {
  let current = values;
  const client = new UnleashClient({
    url: 'http://test/api/frontend',
    clientKey: 'bench',
    appName: 'bench',
    refreshInterval: 0,
    disableMetrics: true,
    // The proxy leaves out flags that are off.
    fetch: (async () =>
      new Response(
        JSON.stringify({
          toggles: Object.entries(current)
            .filter(([, enabled]) => enabled)
            .map(([name, enabled]) => ({
              name,
              enabled,
              impressionData: false,
              variant: { name: 'disabled', enabled: false },
            })),
        }),
        { headers: { 'content-type': 'application/json' } },
      )) as typeof fetch,
  });
  await client.start();
  return {
    Provider: ({ children }) =>
      createElement(FlagProvider, { unleashClient: client, startClient: false, children } as never),
    useFlag: (flagKey) => useFlag(flagKey),
    publish(next) {
      current = next;
      return client.updateToggles();
    },
    setContext: () => client.updateContext({ userId: 'u1', properties: { plan: 'pro' } }),
  };
};
