// @vitest-environment jsdom
/** Server components: one process renders them, another turns them into HTML, and the page hydrates. */
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { FlagProvider, useClientStatus, useFlag } from '@flagsvc/sdk-react';
import type { FlagBootstrap } from '@flagsvc/sdk-react/server';
import { act } from '@testing-library/react';
import { type ReactNode, use, useState } from 'react';
import { hydrateRoot } from 'react-dom/client';
import { renderToString } from 'react-dom/server';
import { createFromReadableStream } from 'react-server-dom-parcel/client.edge';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { createFlagServer } from './flag-server.ts';

let complaints: unknown[] = [];
beforeEach(() => {
  complaints = [];
  for (const name of ['error', 'warn'] as const)
    vi.spyOn(console, name).mockImplementation((...about) => void complaints.push(about));
});
afterEach(() => {
  vi.restoreAllMocks();
  vi.unstubAllGlobals();
  document.body.innerHTML = '';
});

const Answer = () => (
  <p>{`${useFlag('checkout', 'four steps')}, ${useFlag('limits', { perDay: 0 }).perDay} a day, ${useClientStatus()}`}</p>
);
/** Client components, as in a file with `'use client'`. */
const Flags = ({ bootstrap }: { readonly bootstrap: FlagBootstrap }) => {
  const [client] = useState(() =>
    createFlagServer().client({ bootstrap, fetch: () => new Promise(() => {}) }),
  );
  return (
    <FlagProvider client={client} bootstrap={bootstrap}>
      <Answer />
    </FlagProvider>
  );
};

test('server components read flags and pass the bootstrap to the page, which hydrates without warnings', async () => {
  const { stdout: sent, stderr } = spawnSync(
    process.execPath,
    [
      '--conditions=react-server',
      '--conditions=@flagsvc/source',
      join(import.meta.dirname, 'render-server-components.ts'),
    ],
    { encoding: 'utf8' },
  );
  expect(stderr).toBe('');
  expect(sent).not.toContain('internal');
  vi.stubGlobal(
    'parcelRequire',
    Object.assign(() => ({ Flags }), { meta: {} }),
  );
  const read = () => createFromReadableStream<ReactNode>(new Response(sent).body!);
  const Root = ({ tree }: { readonly tree: Promise<ReactNode> }) => use(tree);

  const container = document.createElement('div');
  document.body.append(container);
  container.innerHTML = renderToString(await read());
  expect(container.querySelector('h1')!.textContent).toBe('Welcome back');
  expect(container.querySelector('p')!.textContent).toBe('one page, 5 a day, cached');
  const { evaluations } = JSON.parse(document.getElementById('flagsvc-bootstrap')!.textContent!);
  expect(Object.keys(evaluations)).toEqual(['checkout', 'limits']);

  const tree = read();
  const paragraph = container.querySelector('p');
  const root = await act(async () =>
    hydrateRoot(container, <Root tree={tree} />, { onRecoverableError: (error) => complaints.push(error) }),
  );
  // The same element: the server's HTML was kept.
  expect(container.querySelector('p')).toBe(paragraph);
  expect(paragraph!.textContent).toBe('one page, 5 a day, cached');
  expect(complaints).toEqual([]);
  await act(async () => root.unmount());
});
