/** Runs with the condition `react-server`: prints what a server sends for a page of server components. */
import { createTestClient } from '@flagsvc/sdk-core/testing';
import { createServerFlags, type FlagBootstrap, FlagBootstrapScript } from '@flagsvc/sdk-react/server';
import { createElement } from 'react';
import { createClientReference, renderToReadableStream } from 'react-server-dom-parcel/server';

const client = createTestClient({
  title: 'Welcome back',
  checkout: 'one page',
  limits: { perDay: 5 },
  secret: 'internal',
});
/** A client component; the server knows only its name. */
const Flags = createClientReference<{ bootstrap: FlagBootstrap }>('page', 'Flags', []);

const Page = async ({ userKey }: { readonly userKey: string }) => {
  const flags = createServerFlags(client, { user_key: userKey });
  await client.ready();
  const bootstrap = flags.bootstrap(['checkout', 'limits']);
  return createElement(
    'main',
    null,
    createElement('h1', null, flags.flag('title', 'Welcome')),
    createElement(Flags, { bootstrap }),
    createElement(FlagBootstrapScript, { bootstrap }),
  );
};

for await (const chunk of renderToReadableStream(createElement(Page, { userKey: 'u1' })))
  process.stdout.write(chunk);
