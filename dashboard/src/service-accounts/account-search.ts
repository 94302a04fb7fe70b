import { readChoice, readText, type SearchParams } from '../app/navigation/use-search-state.ts';

/** The state of the list in its address. */
export interface AccountsSearch {
  readonly q: string | undefined;
  readonly do: 'new' | undefined;
}

export function parseAccountsSearch(raw: SearchParams): AccountsSearch {
  return { q: readText(raw['q']), do: readChoice(raw['do'], ['new'] as const) };
}

const DIALOGS = ['edit', 'disable', 'delete', 'token', 'rotate', 'revoke'] as const;

/** The state of the page of one account in its address: the dialog that is open, and about which token. */
export interface AccountSearch {
  readonly do: (typeof DIALOGS)[number] | undefined;
  readonly token: string | undefined;
}

export function parseAccountSearch(raw: SearchParams): AccountSearch {
  return { do: readChoice(raw['do'], DIALOGS), token: readText(raw['token']) };
}
