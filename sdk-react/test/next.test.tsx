// @vitest-environment jsdom
/** The component for frameworks: rendered on a server, hydrated in a page, with real clients. */

import { createTestFlag } from '@flagsvc/sdk-core/testing';
import { useClientStatus, useFlag, useFlagClient } from '@flagsvc/sdk-react';
import { createFlagsPage, type FlagsPageProps, type PageStart } from '@flagsvc/sdk-react/next';
import { act } from '@testing-library/react';
import { StrictMode } from 'react';
import { hydrateRoot } from 'react-dom/client';
import { renderToString } from 'react-dom/server';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { createFlagServer } from './flag-server.ts';

let complaints: unknown[][] = [];
beforeEach(() => {
  complaints = [];
  for (const name of ['error', 'warn'] as const)
    vi.spyOn(console, name).mockImplementation((...about) => void complaints.push(about));
});
afterEach(() => {
  vi.restoreAllMocks();
  vi.unstubAllEnvs();
  document.body.innerHTML = '';
});

const result = { value: 'bootstrap', variation_key: 'v', reason: 'DEFAULT', rule_id: null } as const;
const bootstrap = { evaluations: { colour: result } };
const user = { user_key: 'u1', attributes: { plan: 'pro', country: 'nl' } };
const rendered: string[] = [];
const Colour = () => {
  const text = `${useFlag('colour', 'default')} ${useClientStatus()}`;
  rendered.push(text);
  return <p>{text}</p>;
};

/** The component of an app, on a server without `window` and in a page. */
const createApp = () => {
  const world = createFlagServer(createTestFlag('colour', 'fetched'));
  const starts: PageStart[] = [];
  const clients: ReturnType<typeof world.client>[] = [];
  const create = () =>
    createFlagsPage(({ context = { user_key: 'visitor' }, bootstrap: given }) => {
      starts.push({ context, bootstrap: given });
      const client = world.client({ context, bootstrap: given, cache: false, logger: console.warn });
      clients.push(client);
      return client;
    });
  const appOf = (FlagsPage: ReturnType<typeof create>, props: FlagsPageProps) => (
    <StrictMode>
      <FlagsPage {...props}>
        <Colour />
      </FlagsPage>
    </StrictMode>
  );
  return {
    starts,
    clients,
    onServer(props: FlagsPageProps) {
      vi.stubGlobal('window', undefined);
      const html = renderToString(appOf(create(), props));
      vi.unstubAllGlobals();
      return html;
    },
    async inPage(html: string, props: FlagsPageProps) {
      const container = document.createElement('div');
      document.body.append(container);
      container.innerHTML = html;
      const FlagsPage = create();
      rendered.length = 0;
      const onRecoverableError = (error: unknown) => void complaints.push([error]);
      const root = await act(async () =>
        hydrateRoot(container, appOf(FlagsPage, props), { onRecoverableError }),
      );
      const until = async (text: string) => {
        while (container.textContent !== text)
          await act(() => new Promise((resolve) => setTimeout(resolve, 5)));
      };
      const render = (next: FlagsPageProps) => act(async () => root.render(appOf(FlagsPage, next)));
      return { until, render, leave: () => act(async () => root.unmount()) };
    },
    async close() {
      for (const client of clients) await client.close({ timeoutMs: 0 });
    },
  };
};

test('a dynamic page hydrates from the flags of its request, with one client, and then follows the server', async () => {
  const app = createApp();
  const props = { context: user, bootstrap };
  const html = app.onServer(props);
  expect(html).toBe('<p>bootstrap cached</p>');
  const { until, leave } = await app.inPage(html, props);
  expect(rendered[0]).toBe('bootstrap cached');
  // StrictMode renders twice: one client on the server per render, one in the page.
  const inPage = app.starts.length;
  await until('fetched ready');
  expect(app.starts.length).toBe(inPage);
  expect(app.starts.at(-1)).toEqual({ context: user, bootstrap });
  expect(complaints).toEqual([]);
  await leave();
  await app.close();
});

test('a static page hydrates from default values, and fetches the flags of its visitor', async () => {
  const app = createApp();
  const html = app.onServer({});
  expect(html).toBe('<p>default initializing</p>');
  const { until, leave } = await app.inPage(html, {});
  expect(rendered[0]).toBe('default initializing');
  await until('fetched ready');
  expect(app.starts.at(-1)).toEqual({ context: { user_key: 'visitor' }, bootstrap: undefined });
  expect(complaints).toEqual([]);
  await leave();
  await app.close();
});

test('a new user of the server becomes the context of the page, and an equal one changes nothing', async () => {
  const app = createApp();
  const { render, leave } = await app.inPage('<p>bootstrap cached</p>', { context: user, bootstrap });
  const client = app.clients.at(-1)!;
  const before = client.context();
  await render({ context: { attributes: { country: 'nl', plan: 'pro' }, user_key: 'u1' }, bootstrap });
  expect(client.context()).toBe(before);
  await render({ context: { user_key: 'u2' }, bootstrap });
  expect(client.context()).toEqual({ user_key: 'u2' });
  await render({ bootstrap });
  expect(client.context()).toEqual({ user_key: 'u2' });
  expect(app.clients).toHaveLength(1);
  await leave();
  await app.close();
});

test('a build that prerenders the flags of one user says so, unless they are meant for all', () => {
  const app = createApp();
  app.onServer({ context: user, bootstrap });
  expect(complaints).toEqual([]);
  vi.stubEnv('NEXT_PHASE', 'phase-production-build');
  app.onServer({ context: user, bootstrap, isStatic: true });
  app.onServer({ context: user });
  app.onServer({});
  expect(complaints).toEqual([]);
  app.onServer({ context: user, bootstrap });
  expect(String(complaints[0])).toMatch(/prerendered with the flags of one user.*await connection\(\)/);
});

test('useFlagClient on a static page works on the server', () => {
  const app = createApp();
  const world = createFlagServer();
  const FlagsPage = createFlagsPage(({ context, bootstrap: given }) =>
    world.client({ context: context ?? { user_key: '' }, bootstrap: given }),
  );
  const Peek = () => <>{useFlagClient().flag('colour', 'default')}</>;
  vi.stubGlobal('window', undefined);
  expect(
    renderToString(
      <FlagsPage>
        <Peek />
      </FlagsPage>,
    ),
  ).toBe('default');
  vi.unstubAllGlobals();
  expect(app.clients).toEqual([]);
});
