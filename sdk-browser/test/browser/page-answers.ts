import { createBrowserClient, localMode } from '@flagsvc/sdk-browser';
import type { Context } from '@flagsvc/sdk-core';
import { decodeTagged } from '../../../conformance/src/suite/json-value.ts';

/** The input for a browser: the unchanged files of vectors. */
export interface Questions {
  readonly files: readonly string[];
}

interface VectorFile {
  readonly vectors: readonly {
    readonly id: string;
    readonly ruleset: unknown;
    readonly calls: readonly { readonly flag: string; readonly context: unknown }[];
  }[];
}

/** The calls that a page can make: those whose context is JSON and has a user key. */
export function* callsOf(questions: string) {
  for (const file of (JSON.parse(questions) as Questions).files) {
    for (const { id, ruleset, calls } of (JSON.parse(file) as VectorFile).vectors) {
      const contexts = calls.map(({ flag, context }, call) => {
        try {
          const copy: Context = JSON.parse(JSON.stringify(decodeTagged(context)));
          return typeof copy.user_key === 'string' ? { call, flag, context: copy } : undefined;
        } catch {
          return undefined;
        }
      });
      const asked = contexts.filter((one) => one !== undefined);
      if (asked.length) yield { id, ruleset: decodeTagged(ruleset), asked };
    }
  }
}

/** One line of JSON per call, answered by a page client that evaluates a bootstrap. */
export function answersTo(questions: string): string {
  // Without locks, which would only slow down these thousands of clients.
  Object.defineProperty(navigator, 'locks', { value: undefined, configurable: true });
  const lines: string[] = [];
  for (const { id, ruleset, asked } of callsOf(questions)) {
    const client = createBrowserClient({
      apiKey: 'sdk-dev-vectors',
      baseUrl: 'http://localhost/api/v1',
      mode: localMode(),
      bootstrap: ruleset,
      context: asked[0]!.context,
      events: false,
      cache: false,
      logger: false,
      fetch: () => new Promise(() => {}),
    });
    for (const { call, flag, context } of asked) {
      // With local evaluation the answers are available synchronously.
      void client.setContext(context);
      lines.push(JSON.stringify([id, call, client.flagDetails(flag, null, true)]));
    }
    void client.close({ timeoutMs: 0 });
  }
  return `${lines.join('\n')}\n`;
}
