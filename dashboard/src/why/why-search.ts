import { readText, type SearchParams } from '../app/navigation/use-search-state.ts';

/** The page's state in its address. The context is not part of it: it can hold personal data. */
export interface WhySearch {
  readonly flag: string | undefined;
  /** The search in the table of all flags. */
  readonly q: string | undefined;
  /** True shows only flags that serve something else than their default. */
  readonly special: boolean | undefined;
}

export function parseWhySearch(raw: SearchParams): WhySearch {
  return {
    flag: readText(raw['flag']),
    q: readText(raw['q']),
    special: raw['special'] === true || raw['special'] === 'true' ? true : undefined,
  };
}
