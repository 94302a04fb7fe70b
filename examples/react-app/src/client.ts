import {
  type BrowserClient,
  createBrowserClient,
  type EvaluationMode,
  localMode,
} from '@flagsvc/sdk-browser';
import { createEvaluator, type Evaluator, type Ruleset } from '@flagsvc/sdk-core';
import type { Settings } from './settings.ts';
import { me } from './visitors.ts';

/** The flags for others than the visitor: what a page hardly needs, and this one shows. */
export interface Others {
  evaluator(): Evaluator | undefined;
  subscribe(notify: () => void): () => void;
}

/** The client of the page, made once and outside of any component. */
export const createClients = ({
  apiKey,
  baseUrl,
}: Settings): { readonly client: BrowserClient; readonly others: Others } => {
  let evaluator: Evaluator | undefined;
  const listeners = new Set<() => void>();
  const local = localMode();
  // Looks over the client's shoulder: each ruleset that it takes serves the grid as well.
  const mode: EvaluationMode = {
    request: local.request,
    load(data, report) {
      const loaded = local.load(data, report);
      if (loaded) evaluator = createEvaluator(data as Ruleset);
      for (const notify of listeners) notify();
      return loaded;
    },
  };
  return {
    client: createBrowserClient({
      apiKey,
      baseUrl,
      mode,
      context: me,
      app: 'react-app',
      pollIntervalMs: 2000,
    }),
    others: {
      evaluator: () => evaluator,
      subscribe(notify) {
        listeners.add(notify);
        return () => listeners.delete(notify);
      },
    },
  };
};
