/** Where a snippet is for: its kind of key, how to install it, and the code. */
export interface Snippet {
  readonly id: 'node' | 'browser' | 'react' | 'openfeature' | 'curl';
  readonly label: string;
  /** The command that installs it, above the code. */
  readonly install: string;
  readonly code: string;
  /** Whether it runs where visitors can read the key. */
  readonly isPage: boolean;
}

/** The quick starts, with the address of this installation. The key itself appears only where a page needs it. */
export function snippetsFor(facts: {
  readonly key: string;
  readonly baseUrl: string;
  readonly hint: string;
}): readonly Snippet[] {
  const { key, baseUrl, hint } = facts;
  return [
    {
      id: 'node',
      label: 'Node',
      install: 'npm install @flagsvc/sdk-node',
      code: node(baseUrl, hint),
      isPage: false,
    },
    {
      id: 'browser',
      label: 'Browser',
      install: 'npm install @flagsvc/sdk-browser',
      code: browser(baseUrl, key),
      isPage: true,
    },
    {
      id: 'react',
      label: 'React',
      install: 'npm install @flagsvc/sdk-react @flagsvc/sdk-browser',
      code: react(baseUrl, key),
      isPage: true,
    },
    {
      id: 'openfeature',
      label: 'OpenFeature',
      install: 'npm install @openfeature/server-sdk @flagsvc/sdk-node',
      code: openFeature(baseUrl, hint),
      isPage: false,
    },
    {
      id: 'curl',
      label: 'curl',
      install: `export FLAGSVC_API_KEY=${hint}`,
      code: curl(baseUrl),
      isPage: false,
    },
  ];
}

const nodeClient = (baseUrl: string, hint: string): string => `const client = createNodeClient({
  apiKey: process.env.FLAGSVC_API_KEY!, // ${hint}
  baseUrl: '${baseUrl}',
});`;

const node = (baseUrl: string, hint: string): string => `import { createNodeClient } from '@flagsvc/sdk-node';

${nodeClient(baseUrl, hint)}
await client.ready({ timeoutMs: 2000 }); // resolves to a status; never rejects
client.flag('new-checkout', { user_key: 'ada', attributes: { plan: 'pro' } }, false);`;

const browserClient = (baseUrl: string, key: string): string => `const client = createBrowserClient({
  apiKey: '${key}', // every visitor can read it
  baseUrl: '${baseUrl}',
  context: { user_key: 'ada', attributes: { plan: 'pro' } },
});`;

const browser = (
  baseUrl: string,
  key: string,
): string => `import { createBrowserClient } from '@flagsvc/sdk-browser';

${browserClient(baseUrl, key)}
await client.ready({ timeoutMs: 500 }); // optional; resolves to a status, never rejects
client.flag('new-checkout', false);`;

const react = (
  baseUrl: string,
  key: string,
): string => `import { createBrowserClient } from '@flagsvc/sdk-browser';
import { FlagProvider, useFlag } from '@flagsvc/sdk-react';

${browserClient(baseUrl, key)}
const Checkout = () => <p>{useFlag('new-checkout', false) ? 'One page' : 'Four steps'}</p>;
export const App = () => <FlagProvider client={client}><Checkout /></FlagProvider>;`;

const openFeature = (
  baseUrl: string,
  hint: string,
): string => `import { OpenFeature } from '@openfeature/server-sdk';
import { createNodeClient } from '@flagsvc/sdk-node';
import { createOpenFeatureProvider } from '@flagsvc/sdk-node/openfeature';

${nodeClient(baseUrl, hint)}
await OpenFeature.setProviderAndWait(createOpenFeatureProvider(client));
const flags = OpenFeature.getClient();
await flags.getBooleanValue('new-checkout', false, { targetingKey: 'ada', plan: 'pro' });`;

const curl = (baseUrl: string): string => `curl -s ${baseUrl}/evaluate \\
  -H "X-API-Key: $FLAGSVC_API_KEY" -H 'Content-Type: application/json' \\
  -d '{"flags":["*"],"context":{"user_key":"ada","attributes":{"plan":"pro"}}}'`;
