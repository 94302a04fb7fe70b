import { readChoice, readText, type SearchParams } from '../app/navigation/use-search-state.ts';

/** The state of the page in its address. */
export interface TokenSearch {
  /** The dialog that is open. */
  readonly do: 'new' | 'revoke' | undefined;
  /** Id of the token that is revoked. */
  readonly token: string | undefined;
}

export function parseTokenSearch(raw: SearchParams): TokenSearch {
  return { do: readChoice(raw['do'], ['new', 'revoke']), token: readText(raw['token']) };
}
