import { readChoice, readText, type SearchParams } from '../app/navigation/use-search-state.ts';

const DIALOGS = ['new', 'edit', 'archive', 'restore', 'delete'] as const;

/** The state of the page in its address. */
export interface EnvironmentSearch {
  readonly q: string | undefined;
  readonly show: 'archived' | undefined;
  readonly by: 'order' | 'type' | undefined;
  /** The dialog that is open, and about which environment: its key. */
  readonly do: (typeof DIALOGS)[number] | undefined;
  readonly about: string | undefined;
}

export function parseEnvironmentSearch(raw: SearchParams): EnvironmentSearch {
  return {
    q: readText(raw['q']),
    show: readChoice(raw['show'], ['archived'] as const),
    by: readChoice(raw['by'], ['order', 'type'] as const),
    do: readChoice(raw['do'], DIALOGS),
    about: readText(raw['about']),
  };
}
