import { readChoice, readText, type SearchParams } from '../app/navigation/use-search-state.ts';

/** The state of the list in its address. */
export interface ListSearch {
  readonly q: string | undefined;
  readonly open: 'new' | undefined;
}

export function parseListSearch(raw: SearchParams): ListSearch {
  return { q: readText(raw['q']), open: readChoice(raw['open'], ['new'] as const) };
}

export const DIALOGS = ['edit', 'replay', 'rotate', 'delete'] as const;

/** The state of the page of one webhook in its address. */
export interface WebhookSearch {
  readonly status: 'failed' | 'succeeded' | undefined;
  /** Id of the message that is open. */
  readonly message: string | undefined;
  readonly open: (typeof DIALOGS)[number] | undefined;
}

export function parseWebhookSearch(raw: SearchParams): WebhookSearch {
  return {
    status: readChoice(raw['status'], ['failed', 'succeeded'] as const),
    message: readText(raw['message']),
    open: readChoice(raw['open'], DIALOGS),
  };
}
