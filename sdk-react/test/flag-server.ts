import {
  type BrowserClient,
  type BrowserClientOptions,
  createBrowserClient,
  localMode,
} from '@flagsvc/sdk-browser';
import type { Flag, Ruleset } from '@flagsvc/sdk-core';
import { createTestRuleset } from '@flagsvc/sdk-core/testing';

/** A server on paper for the client of a page, polled every 30 ms or so. */
export interface FlagServer {
  /** What it answers from now on; the version is counted up and the entity tag is new. */
  publish(...flags: Flag[]): void;
  /** Settles when a request has been answered that began after this call. */
  answered(): Promise<void>;
  /** The real client of a page, evaluating in the page. */
  client(options?: Partial<BrowserClientOptions>): BrowserClient;
}

export const createFlagServer = (...flags: Flag[]): FlagServer => {
  let ruleset: Ruleset = createTestRuleset(flags);
  let waiting: (() => void)[] = [];
  const fetch = async (_url: unknown, init?: RequestInit): Promise<Response> => {
    const told = waiting;
    waiting = [];
    const tag = `"${ruleset.version}"`;
    const isSame = new Headers(init?.headers).get('if-none-match') === tag;
    // After the client has taken the answer in.
    setTimeout(() => {
      for (const tell of told) tell();
    }, 5);
    return new Response(isSame ? null : JSON.stringify({ success: true, data: ruleset }), {
      status: isSame ? 304 : 200,
      headers: { etag: tag },
    });
  };
  return {
    publish(...next) {
      ruleset = { ...ruleset, version: ruleset.version + 1, flags: next };
    },
    answered: () => new Promise((resolve) => waiting.push(resolve)),
    client: (options) =>
      createBrowserClient({
        apiKey: 'sdk-dev-client',
        baseUrl: 'http://test',
        context: { user_key: 'u1' },
        mode: localMode(),
        pollIntervalMs: 30,
        cache: false,
        events: false,
        logger: false,
        fetch,
        ...options,
      }),
  };
};
