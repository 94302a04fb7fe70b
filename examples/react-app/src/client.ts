import {
  type BrowserClient,
  createBrowserClient,
  type EvaluationMode,
  localMode,
} from '@flagsvc/sdk-browser';
import { createEvaluator, type Evaluator, type Ruleset } from '@flagsvc/sdk-core';
import type { Settings } from './settings.ts';
import { me } from './visitors.ts';

/** Evaluates flags for users other than the visitor. Few pages need this; here it fills the grid. */
export interface Others {
  evaluator(): Evaluator | undefined;
  subscribe(notify: () => void): () => void;
}

/** Creates the page's client, once and outside of any component, and the evaluator of the grid. */
export const createClients = ({
  apiKey,
  baseUrl,
}: Settings): { readonly client: BrowserClient; readonly others: Others } => {
  let evaluator: Evaluator | undefined;
  const listeners = new Set<() => void>();
  const local = localMode();
  // Wraps `localMode`, so that the grid's evaluator uses each ruleset that the client loads.
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
