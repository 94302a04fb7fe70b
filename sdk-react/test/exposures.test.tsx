// @vitest-environment jsdom
/** The exposures of a page that starts from a server's bootstrap. */
import type { EvaluationEvent } from '@flagsvc/sdk-core';
import { createTestFlag, createTestRuleset } from '@flagsvc/sdk-core/testing';
import { createNodeClient } from '@flagsvc/sdk-node';
import { FlagProvider, useFlag } from '@flagsvc/sdk-react';
import { createServerFlags } from '@flagsvc/sdk-react/server';
import { act, render } from '@testing-library/react';
import { expect, test } from 'vitest';
import { EVALUATE, EVENTS } from '../../sdk-browser/test/answers.ts';
import { createFakeBrowser } from '../../sdk-browser/test/fake-page.ts';

test('a page that starts from the bootstrap of a server reports each exposure once', async () => {
  const context = { user_key: 'u1' };
  const node = createNodeClient({
    apiKey: 'sdk-dev-server',
    baseUrl: 'http://test',
    fetch: () => new Promise(() => {}),
    bootstrap: createTestRuleset(
      ['experiment', 'secret'].map((key) => createTestFlag(key, true, { track_exposures: true })),
    ),
  });
  const bootstrap = createServerFlags(node, context).bootstrap(['experiment']);
  expect(JSON.stringify(bootstrap)).not.toContain('secret');
  const { clock, server, openTab } = createFakeBrowser();
  server.script(EVALUATE, { body: { data: bootstrap } });
  server.script(EVENTS, { status: 202 });
  const client = openTab().open({ context, bootstrap, cache: false });
  const Answer = () => <p>{String(useFlag('experiment', false))}</p>;
  const { container, unmount } = render(
    <FlagProvider client={client} bootstrap={bootstrap}>
      <Answer />
    </FlagProvider>,
  );
  await act(() => clock.advance(600_000));
  expect(container.textContent).toBe('true');
  const sent: EvaluationEvent[] = server.requests(EVENTS).flatMap(({ body }) => JSON.parse(body).events);
  expect(sent.filter(({ type }) => type === 'exposure')).toMatchObject([
    { flag_key: 'experiment', variation_key: 'on', user_key: 'u1' },
  ]);
  unmount();
  await Promise.all([client.close({ timeoutMs: 0 }), node.close({ timeoutMs: 0 })]);
});
