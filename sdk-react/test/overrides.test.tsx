// @vitest-environment jsdom
/** Overrides from the request to hydration: server, bootstrap, first render, and changes in the page. */
import { readOverrides, withOverrides, withRequestOverrides } from '@flagsvc/sdk-browser/devtools';
import { createTestClient, createTestFlag } from '@flagsvc/sdk-core/testing';
import { FlagProvider, useFlag, useFlagDetails, useFlags } from '@flagsvc/sdk-react';
import { createServerFlags, type FlagBootstrap } from '@flagsvc/sdk-react/server';
import { createTestFlagClient } from '@flagsvc/sdk-react/testing';
import { act, cleanup, render } from '@testing-library/react';
import { hydrateRoot } from 'react-dom/client';
import { renderToString } from 'react-dom/server';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { createFlagServer } from './flag-server.ts';

const user = { user_key: 'u1' };
let complaints: unknown[] = [];
beforeEach(() => {
  complaints = [];
  for (const name of ['error', 'warn'] as const)
    vi.spyOn(console, name).mockImplementation((...about) => void complaints.push(about));
});
afterEach(() => {
  cleanup();
  vi.restoreAllMocks();
  // biome-ignore lint/suspicious/noDocumentCookie: jsdom has no Cookie Store API
  document.cookie = 'flagsvc-overrides=; max-age=0';
  document.body.innerHTML = '';
});

const rendered: string[] = [];
const Colour = () => {
  const text = `${useFlag('colour', 'none')} ${useFlag('planned', false)}`;
  rendered.push(text);
  return <p>{text}</p>;
};

/** Renders on the server as for a request with this cookie, and hydrates in a page that has it. */
const visit = async (cookie: string, overridesOf: typeof readOverrides) => {
  // biome-ignore lint/suspicious/noDocumentCookie: jsdom has no Cookie Store API
  if (cookie) document.cookie = cookie;
  const server = withRequestOverrides(createTestClient({ colour: 'red' }), overridesOf({ cookie }));
  const bootstrap: FlagBootstrap = createServerFlags(server, user).bootstrap(['colour', 'planned']);
  const world = createFlagServer(createTestFlag('colour', 'red'));
  const page = (client: ReturnType<typeof world.client>) => (
    <FlagProvider client={client} bootstrap={bootstrap}>
      <Colour />
    </FlagProvider>
  );
  const onServer = world.client({ bootstrap, fetch: () => new Promise(() => {}) });
  const html = renderToString(page(onServer));
  const inPage = withOverrides(world.client({ bootstrap }));
  const container = document.createElement('div');
  document.body.append(container);
  container.innerHTML = html;
  rendered.length = 0;
  const onRecoverableError = (error: unknown) => void complaints.push(error);
  const root = await act(async () => hydrateRoot(container, page(inPage), { onRecoverableError }));
  const leave = async () => {
    await act(async () => root.unmount());
    for (const client of [inPage, onServer]) await client.close({ timeoutMs: 0 });
  };
  return { html, container, inPage, leave };
};
const COOKIE = `flagsvc-overrides=${encodeURIComponent('{"colour":"green","planned":true}')}`;

test('a page hydrates from the overrides that the server rendered', async () => {
  const { html, container, inPage, leave } = await visit(COOKIE, readOverrides);
  expect(html).toBe('<p>green true</p>');
  expect(rendered[0]).toBe('green true');
  expect(container.textContent).toBe('green true');
  await act(async () => inPage.overrides.reset());
  // Local evaluation of the page's own ruleset: the flag `planned` does not exist.
  while (container.textContent !== 'red false')
    await act(() => new Promise((resolve) => setTimeout(resolve, 5)));
  expect(complaints).toEqual([]);
  await leave();
});

test('a page whose server ignores overrides hydrates without them, and shows them right after', async () => {
  const { html, container, leave } = await visit(COOKIE, () => ({}));
  expect(html).toBe('<p>red false</p>');
  expect(rendered[0]).toBe('red false');
  expect(container.textContent).toBe('green true');
  expect(complaints).toEqual([]);
  await leave();
});

test('an override renders the components of its flag once, and no other', () => {
  const renders = { colour: 0, limit: 0, all: 0 };
  const One = () => {
    renders.colour++;
    return <>{useFlagDetails('colour', 'none').value}</>;
  };
  const Other = () => {
    renders.limit++;
    return <>{useFlag('limit', 0)}</>;
  };
  const All = () => {
    renders.all++;
    return <>{Object.keys(useFlags()).length}</>;
  };
  const client = withOverrides(createTestFlagClient({ colour: 'red', limit: 5 }));
  const { container } = render(
    <FlagProvider client={client}>
      <One />/<Other />/<All />
    </FlagProvider>,
  );
  act(() => client.overrides.set('colour', 'green'));
  expect(container.textContent).toBe('green/5/2');
  act(() => client.overrides.set('another', 1));
  expect(container.textContent).toBe('green/5/3');
  expect(renders).toEqual({ colour: 2, limit: 1, all: 3 });
});
