import {
  type BrowserClient,
  type BrowserClientOptions,
  createBrowserClient,
  localMode,
} from '@flagsvc/sdk-browser';
import type { Flag, Ruleset } from '@flagsvc/sdk-core';
import { createTestRuleset } from '@flagsvc/sdk-core/testing';

/** A simulated server for a page client that polls about every 30 ms. */
export interface FlagServer {
  /** Replaces the flags; increments the version and changes the entity tag. */
  publish(...flags: Flag[]): void;
  /** Settles when a request that started after this call has been answered. */
  answered(): Promise<void>;
  /** A real page client with local evaluation. */
  client(options?: Partial<BrowserClientOptions>): BrowserClient;
}

export const createFlagServer = (...flags: Flag[]): FlagServer => {
  let ruleset: Ruleset = createTestRuleset(flags);
  let waiting: (() => void)[] = [];
  const fetch = async (_url: unknown, init?: RequestInit): Promise<Response> => {
    const answered = waiting;
    waiting = [];
    const tag = `"${ruleset.version}"`;
    const isSame = new Headers(init?.headers).get('if-none-match') === tag;
    // After the client has processed the answer.
    setTimeout(() => {
      for (const settle of answered) settle();
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
