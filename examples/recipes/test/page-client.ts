/** The page's client, whose server the test plays, and the parts of a page that each framework mounts. */
import { type BrowserClient, createBrowserClient } from '@flagsvc/sdk-browser';

/** Shows two components with a flag each in `target`; returns the function that removes them. */
export type Mount = (client: BrowserClient, target: HTMLElement) => () => void;

const resultsOf = (values: Readonly<Record<string, string>>) => ({
  evaluations: Object.fromEntries(
    Object.entries(values).map(([key, value]) => [
      key,
      { value, reason: 'DEFAULT', rule_id: null, variation_key: value },
    ]),
  ),
});

/** A real client, and a function that publishes new values. */
export const createPage = (mount: Mount) => {
  let answer = resultsOf({ colour: 'red', size: 'S' });
  let user = 0;
  const client = createBrowserClient({
    apiKey: 'sdk-1',
    baseUrl: 'http://127.0.0.1:9',
    context: { user_key: 'u' },
    bootstrap: answer,
    cache: false,
    fetch: async () => new Response(JSON.stringify({ data: answer })),
    logger: false,
  });
  const target = document.createElement('main');
  document.body.append(target);
  let unmount = () => {};
  return {
    mount() {
      unmount = mount(client, target);
    },
    unmount: () => unmount(),
    async publish(values: Readonly<Record<string, string>>) {
      answer = resultsOf(values);
      await client.setContext({ user_key: `u${++user}` });
    },
    /** The shown text, and the number of uses that were counted. */
    async state() {
      await new Promise((resolve) => setTimeout(resolve, 50));
      return { text: target.textContent, uses: client.stats().recorded };
    },
  };
};
