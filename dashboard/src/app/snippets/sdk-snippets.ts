/** Where a snippet is for: its kind of key, how to install it, and the code. */
export interface Snippet {
  readonly id: 'node' | 'browser' | 'react' | 'openfeature' | 'curl' | 'ofrep';
  readonly label: string;
  /** The command that installs it, above the code. */
  readonly install: string;
  readonly code: string;
  /** Whether it runs where visitors can read the key. */
  readonly isPage: boolean;
}

/** What the snippets are filled with. */
export interface SnippetFacts {
  /** The key, or a hint at it where it is no longer known. */
  readonly key: string;
  /** The dashboard's own address, under which the API answers too. */
  readonly origin: string;
  /** The shown part of the key. */
  readonly hint: string;
  /** Default `new-checkout`. */
  readonly flagKey?: string;
  /** True prints the flag every second, so that a change can be watched. */
  readonly isWatching?: boolean;
}

/** The quick starts, with the address of this installation. The key itself appears only where a page needs it. */
export function snippetsFor(facts: SnippetFacts): readonly Snippet[] {
  const { key, origin, hint, flagKey = 'new-checkout', isWatching = false } = facts;
  const at = { baseUrl: `${origin}/api/v1`, key, hint, flagKey, isWatching };
  return [
    { id: 'node', label: 'Node', install: 'npm install @flagsvc/sdk-node', code: node(at), isPage: false },
    {
      id: 'browser',
      label: 'Browser',
      install: 'npm install @flagsvc/sdk-browser',
      code: browser(at),
      isPage: true,
    },
    {
      id: 'react',
      label: 'React',
      install: 'npm install @flagsvc/sdk-react @flagsvc/sdk-browser',
      code: react(at),
      isPage: true,
    },
    {
      id: 'openfeature',
      label: 'OpenFeature',
      install: 'npm install @openfeature/server-sdk @flagsvc/sdk-node',
      code: openFeature(at),
      isPage: false,
    },
    {
      id: 'curl',
      label: 'curl',
      install: `export FLAGSVC_API_KEY=${hint}`,
      code: curl(at.baseUrl),
      isPage: false,
    },
    {
      id: 'ofrep',
      label: 'OFREP',
      install: `export FLAGSVC_API_KEY=${hint}`,
      code: ofrep(origin, flagKey),
      isPage: false,
    },
  ];
}

type At = Required<Omit<SnippetFacts, 'origin'>> & { readonly baseUrl: string };

// What is pasted to watch a flag runs as JavaScript and compiles as TypeScript.
const nodeClient = ({ baseUrl, hint, isWatching }: At): string => `const client = createNodeClient({
  apiKey: process.env.FLAGSVC_API_KEY${isWatching ? " ?? ''" : '!'}, // ${hint}
  baseUrl: '${baseUrl}',
});`;

const node = (at: At): string => `import { createNodeClient } from '@flagsvc/sdk-node';

${nodeClient(at)}
await client.ready({ timeoutMs: 2000 }); // resolves to a status; never rejects
${
  at.isWatching
    ? `setInterval(() => {
  console.log(client.flag('${at.flagKey}', { user_key: 'ada' }, false));
}, 1000);`
    : `client.flag('${at.flagKey}', { user_key: 'ada', attributes: { plan: 'pro' } }, false);`
}`;

const browserClient = ({ baseUrl, key }: At): string => `const client = createBrowserClient({
  apiKey: '${key}', // every visitor can read it
  baseUrl: '${baseUrl}',
  context: { user_key: 'ada', attributes: { plan: 'pro' } },
});`;

const browser = (at: At): string => `import { createBrowserClient } from '@flagsvc/sdk-browser';

${browserClient(at)}
await client.ready({ timeoutMs: 500 }); // optional; resolves to a status, never rejects
${
  at.isWatching
    ? `setInterval(() => console.log(client.flag('${at.flagKey}', false)), 1000);`
    : `client.flag('${at.flagKey}', false);`
}`;

const react = (at: At): string => `import { createBrowserClient } from '@flagsvc/sdk-browser';
import { FlagProvider, useFlag } from '@flagsvc/sdk-react';

${browserClient(at)}
const Checkout = () => <p>{useFlag('${at.flagKey}', false) ? 'One page' : 'Four steps'}</p>;
export const App = () => <FlagProvider client={client}><Checkout /></FlagProvider>;`;

const openFeature = (at: At): string => `import { OpenFeature } from '@openfeature/server-sdk';
import { createNodeClient } from '@flagsvc/sdk-node';
import { createOpenFeatureProvider } from '@flagsvc/sdk-node/openfeature';

${nodeClient(at)}
await OpenFeature.setProviderAndWait(createOpenFeatureProvider(client));
const flags = OpenFeature.getClient();
await flags.getBooleanValue('${at.flagKey}', false, { targetingKey: 'ada', plan: 'pro' });`;

const curl = (baseUrl: string): string => `curl -s ${baseUrl}/evaluate \\
  -H "X-API-Key: $FLAGSVC_API_KEY" -H 'Content-Type: application/json' \\
  -d '{"flags":["*"],"context":{"user_key":"ada","attributes":{"plan":"pro"}}}'`;

const ofrep = (origin: string, flagKey: string): string =>
  `curl -s ${origin}/ofrep/v1/evaluate/flags/${flagKey} \\
  -H "X-API-Key: $FLAGSVC_API_KEY" -H 'Content-Type: application/json' \\
  -d '{"context":{"targetingKey":"ada"}}'`;
