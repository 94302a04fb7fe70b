import { readChoice, readText, type SearchParams } from '../app/navigation/use-search-state.ts';

const ACTIONS = ['new', 'edit', 'rotate', 'revoke'] as const;

/** The state of the page in its address. */
export interface KeySearch {
  /** The dialog that is open. */
  readonly do: (typeof ACTIONS)[number] | undefined;
  /** Id of the key that the dialog is about. */
  readonly key: string | undefined;
  /** `all` also shows keys that were revoked. */
  readonly show: 'all' | undefined;
}

export function parseKeySearch(raw: SearchParams): KeySearch {
  return {
    do: readChoice(raw['do'], ACTIONS),
    key: readText(raw['key']),
    show: readChoice(raw['show'], ['all']),
  };
}
