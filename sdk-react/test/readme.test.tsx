// @vitest-environment jsdom
/** The examples of the README, compiled and run. Its quick starts are run in empty projects (`scripts/quick-starts`). */
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { createTestRuleset } from '@flagsvc/sdk-core/testing';
import { useFlag } from '@flagsvc/sdk-react';
import { FlagsTestProvider } from '@flagsvc/sdk-react/testing';
import { cleanup, render, screen } from '@testing-library/react';
import { type ComponentType, createElement, StrictMode } from 'react';
import { renderToString } from 'react-dom/server';
import ts from 'typescript';
import { afterAll, afterEach, beforeAll, expect, test, vi } from 'vitest';

/** A long limit, for busy machines. */
const PATIENCE_MS = 15_000;
const readme = readFileSync(join(import.meta.dirname, '..', 'README.md'), 'utf8');
const examples = [...readme.matchAll(/```tsx\n([\s\S]*?)```/g)].map(([, text]) => text!);
const folder = join(import.meta.dirname, 'generated');
const fileOf = (at: number) => join(folder, `example-${at}.tsx`);
/** Runs the example that contains the text. */
const load = async (part: string): Promise<Record<string, ComponentType<Record<string, unknown>>>> => {
  const at = examples.findIndex((text) => text.includes(part));
  // A path in a variable, so that Vite does not resolve it.
  return import(/* @vite-ignore */ pathToFileURL(fileOf(at)).href);
};

beforeAll(() => {
  mkdirSync(folder, { recursive: true });
  for (const [at, text] of examples.entries()) writeFileSync(fileOf(at), text);
  vi.stubGlobal('fetch', async (url: URL | string) => {
    if (!`${url}`.endsWith('/sdk/ruleset')) return new Promise(() => {});
    const data = createTestRuleset({ 'new-checkout': true, 'welcome-text': 'Welkom' });
    return new Response(JSON.stringify({ data }), { headers: { 'content-type': 'application/json' } });
  });
});
afterAll(() => {
  rmSync(folder, { recursive: true });
  vi.unstubAllGlobals();
});
afterEach(cleanup);

test('every example of the README compiles', () => {
  const program = ts.createProgram(
    examples.map((_, at) => fileOf(at)),
    {
      strict: true,
      noEmit: true,
      skipLibCheck: true,
      target: ts.ScriptTarget.ES2022,
      module: ts.ModuleKind.NodeNext,
      moduleResolution: ts.ModuleResolutionKind.NodeNext,
      jsx: ts.JsxEmit.ReactJSX,
      lib: ['lib.es2022.d.ts', 'lib.dom.d.ts', 'lib.esnext.disposable.d.ts'],
      types: ['node'],
      allowImportingTsExtensions: true,
      customConditions: ['@flagsvc/source'],
    },
  );
  const errors = ts.getPreEmitDiagnostics(program);
  expect(errors.map(({ messageText }) => ts.flattenDiagnosticMessageText(messageText, '\n'))).toEqual([]);
}, 60_000);

test('the provider for frameworks has one client per page, and sets its context when the user changes', async () => {
  const { FlagsPage } = await load('createFlagsPage(');
  const users: string[] = [];
  vi.spyOn(globalThis, 'fetch').mockImplementation(async (_, init) => {
    users.push(JSON.parse(init!.body as string).context.user_key);
    return new Promise(() => {});
  });
  const result = { value: true, variation_key: 'on', reason: 'DEFAULT', rule_id: null };
  const bootstrap = { evaluations: { 'new-checkout': result } };
  const Answer = () => String(useFlag('new-checkout', false));
  const page = (userKey: string) => (
    <StrictMode>
      {createElement(FlagsPage!, { context: { user_key: userKey }, bootstrap }, <Answer />)}
    </StrictMode>
  );
  expect(renderToString(page('u-1'))).toBe('true');
  const { container, rerender } = render(page('u-1'));
  expect(container.textContent).toBe('true');
  await vi.waitFor(() => expect(users).toEqual(['u-1']), PATIENCE_MS);
  rerender(page('u-2'));
  await vi.waitFor(() => expect(users).toEqual(['u-1', 'u-2']), PATIENCE_MS);
});

test('the example without a hook shows the parts of its flags', async () => {
  const { Shop } = await load('sdk-react/flag');
  const { container } = render(
    <FlagsTestProvider flags={{ 'new-checkout': true, 'button-colour': 'green' }}>
      {createElement(Shop!)}
    </FlagsTestProvider>,
  );
  expect(container.innerHTML).toBe('<p>One page</p><button style="color: green;">Buy</button>');
});

test('the example of a component test passes', async () => {
  await load('createTestFlagClient(');
  expect(screen.getByText('Four steps')).toBeTruthy();
});

test('the table has the latest measurements', () => {
  expect(readme).toContain(readFileSync(join(import.meta.dirname, '..', 'bench', 'matrix.md'), 'utf8'));
});
