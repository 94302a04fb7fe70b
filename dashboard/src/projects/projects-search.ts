import { readChoice, readText, type SearchParams } from '../app/navigation/use-search-state.ts';

/** The state of the list in its address. */
export interface ProjectsSearch {
  readonly q: string | undefined;
  readonly show: 'archived' | undefined;
  /** The dialog that is open, and about which project: its key. */
  readonly do: 'new' | 'archive' | 'restore' | undefined;
  readonly about: string | undefined;
}

export function parseProjectsSearch(raw: SearchParams): ProjectsSearch {
  return {
    q: readText(raw['q']),
    show: readChoice(raw['show'], ['archived'] as const),
    do: readChoice(raw['do'], ['new', 'archive', 'restore'] as const),
    about: readText(raw['about']),
  };
}
