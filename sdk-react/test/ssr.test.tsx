// @vitest-environment jsdom
import type { EvaluationResult } from '@flagsvc/sdk-core';
import { createTestClient, createTestFlag } from '@flagsvc/sdk-core/testing';
import {
  FlagProvider,
  useClientStatus,
  useFlag,
  useFlagDetails,
  useFlags,
  useSuspenseFlag,
} from '@flagsvc/sdk-react';
import { createServerFlags, type FlagBootstrap, FlagBootstrapScript } from '@flagsvc/sdk-react/server';
import { createTestFlagClient } from '@flagsvc/sdk-react/testing';
import { act } from '@testing-library/react';
import { lazy, type ReactNode, Suspense } from 'react';
import { hydrateRoot } from 'react-dom/client';
import { renderToString } from 'react-dom/server';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { createFlagServer } from './flag-server.ts';

/** All errors and warnings of React and the console. */
let complaints: unknown[] = [];
beforeEach(() => {
  complaints = [];
  for (const name of ['error', 'warn'] as const)
    vi.spyOn(console, name).mockImplementation((...about) => void complaints.push(about));
});
afterEach(() => {
  vi.restoreAllMocks();
  document.body.innerHTML = '';
});

const hydrate = async (html: string, page: ReactNode) => {
  const container = document.createElement('div');
  document.body.append(container);
  container.innerHTML = html;
  const root = await act(async () =>
    hydrateRoot(container, page, { onRecoverableError: (error) => complaints.push(error) }),
  );
  return { container, root };
};

const served = (value: EvaluationResult['value']): EvaluationResult => ({
  value,
  reason: 'DEFAULT',
  rule_id: null,
  variation_key: 'v',
});
const bootstrap: FlagBootstrap = { evaluations: { a: served('bootstrap'), limits: served({ perDay: 5 }) } };

const rendered: string[] = [];
const Page = () => {
  const text = JSON.stringify([
    useFlag('a', 'default'),
    useFlag('limits', { perDay: 0 }),
    useFlagDetails('a', 'default').reason,
    useFlag('unknown', 'default'),
    useFlag('a', 5),
    useFlag('limits', ['another type']),
    useFlag('constructor', 'default'),
    Object.keys(useFlags()),
    useClientStatus(),
  ]);
  rendered.push(text);
  return <p>{text}</p>;
};
const EXPECTED = JSON.stringify([
  'bootstrap',
  { perDay: 5 },
  'DEFAULT',
  'default',
  5,
  ['another type'],
  'default',
  ['a', 'limits'],
  'cached',
]);

test('the first render shows the bootstrap, as the server did, whatever the client has fetched', async () => {
  const onServer = createFlagServer().client({ bootstrap, fetch: () => new Promise(() => {}) });
  const html = renderToString(
    <FlagProvider client={onServer} bootstrap={bootstrap}>
      <Page />
    </FlagProvider>,
  );
  expect(html.replaceAll('&quot;', '"')).toBe(`<p>${EXPECTED}</p>`);
  // The client has fetched before React hydrates.
  const inPage = createTestFlagClient({ a: 'fetched' });
  rendered.length = 0;
  const { container, root } = await hydrate(
    html,
    <FlagProvider client={inPage} bootstrap={bootstrap}>
      <Page />
    </FlagProvider>,
  );
  expect(rendered[0]).toBe(EXPECTED);
  expect(JSON.parse(container.textContent!)[0]).toBe('fetched');
  expect(complaints).toEqual([]);
  await act(async () => root.unmount());
  await onServer.close({ timeoutMs: 0 });
});

test('a part that hydrates late also starts from the bootstrap', async () => {
  const Answer = () => <p>{useFlag('a', 'default')}</p>;
  let load = (_: { default: () => ReactNode }) => {};
  const Late = lazy(() => new Promise<{ default: () => ReactNode }>((resolve) => (load = resolve)));
  const page = (client: ReturnType<typeof createTestFlagClient>, part: ReactNode) => (
    <FlagProvider client={client}>
      <Suspense>{part}</Suspense>
    </FlagProvider>
  );
  const html = renderToString(page(createTestFlagClient({ a: 'old' }), <Answer />));
  const inPage = createTestFlagClient({ a: 'old' });
  const { container, root } = await hydrate(html, page(inPage, <Late />));
  inPage.setFlag('a', 'new');
  expect(container.textContent).toBe('old');
  await act(async () => load({ default: Answer }));
  expect(container.textContent).toBe('new');
  expect(complaints).toEqual([]);
  await act(async () => root.unmount());
});

test('without a bootstrap, hydration starts from default values as on the server, even with a cache', async () => {
  const server = createFlagServer(createTestFlag('a', 'cached'));
  localStorage.clear();
  const visit = () => {
    const client = server.client({ cache: true });
    const page = (
      <FlagProvider client={client}>
        <Page />
      </FlagProvider>
    );
    return { client, page };
  };
  const first = visit();
  await first.client.ready();
  await first.client.close({ timeoutMs: 0 });
  const onServer = server.client({ fetch: () => new Promise(() => {}) });
  const html = renderToString(
    <FlagProvider client={onServer}>
      <Page />
    </FlagProvider>,
  );
  const { client, page } = visit();
  expect(client.status()).toBe('cached');
  const { container, root } = await hydrate(html, page);
  expect(JSON.parse(container.textContent!)[0]).toBe('cached');
  expect(complaints).toEqual([]);
  await act(async () => root.unmount());
  for (const one of [client, onServer]) await one.close({ timeoutMs: 0 });
});

test('uses the bootstrap of the client by default, and accepts a default value without a prototype', async () => {
  const page = (client: ReturnType<ReturnType<typeof createFlagServer>['client']>) => {
    const Limits = () => <p>{JSON.stringify([useFlag('limits', Object.create(null)), useClientStatus()])}</p>;
    return (
      <FlagProvider client={client}>
        <Limits />
      </FlagProvider>
    );
  };
  const never = () => new Promise<Response>(() => {});
  const onServer = createFlagServer().client({ bootstrap, fetch: never });
  const html = renderToString(page(onServer));
  expect(html.replaceAll('&quot;', '"')).toBe('<p>[{"perDay":5},"cached"]</p>');
  const inPage = createFlagServer(createTestFlag('limits', { perDay: 6 })).client({ bootstrap });
  while (inPage.status() !== 'ready') await new Promise((resolve) => setTimeout(resolve, 5));
  const { container, root } = await hydrate(html, page(inPage));
  expect(container.textContent).toBe('[{"perDay":6},"ready"]');
  expect(complaints).toEqual([]);
  await act(async () => root.unmount());
  for (const one of [inPage, onServer]) await one.close({ timeoutMs: 0 });
});

test('a server without a bootstrap renders default values without waiting', () => {
  vi.stubGlobal('window', undefined);
  const client = createFlagServer().client({ fetch: () => new Promise(() => {}) });
  const Answer = () => <p>{`${useSuspenseFlag('a', 'default')} ${useClientStatus()}`}</p>;
  const html = renderToString(
    <FlagProvider client={client}>
      <Suspense fallback="waiting">
        <Answer />
      </Suspense>
    </FlagProvider>,
  );
  vi.unstubAllGlobals();
  expect(html).toContain('<p>default initializing</p>');
  expect(client.stats().recorded).toBe(0);
});

test('createServerFlags reads flags for its user and puts only the named flags into the bootstrap', () => {
  const client = createTestClient({ a: 'served', secret: 'internal' });
  const flags = createServerFlags(client, { user_key: 'u1' });
  expect(flags.flag('a', 'default')).toBe('served');
  expect(flags.flagDetails('b', 'default').variation_key).toBe(null);
  expect(client.stats().recorded).toBe(2);
  expect(Object.keys(flags.bootstrap(['a', 'unknown', 'constructor']).evaluations)).toEqual(['a']);
  expect(Object.keys(flags.bootstrap('*').evaluations)).toEqual(['a', 'secret']);
});

test('no value can break out of the bootstrap script', () => {
  const evil = '</script><script>alert(1)</script><!--';
  const html = renderToString(
    <FlagBootstrapScript bootstrap={{ evaluations: { a: served(evil) } }} id="flags" />,
  );
  document.body.innerHTML = html;
  expect(document.querySelectorAll('script')).toHaveLength(1);
  const element = document.getElementById('flags')!;
  expect(element.getAttribute('type')).toBe('application/json');
  expect(JSON.parse(element.textContent!).evaluations.a.value).toBe(evil);
});
