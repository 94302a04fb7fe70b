import { readChoice, readText, type SearchParams } from '../app/navigation/use-search-state.ts';

const DIALOGS = ['invite', 'edit', 'remove', 'reset-factor', 'resend', 'revoke'] as const;

/** The state of the page in its address. */
export interface MemberSearch {
  readonly q: string | undefined;
  readonly role: 'admin' | 'editor' | 'viewer' | undefined;
  /** The dialog that is open, and about whom. */
  readonly do: (typeof DIALOGS)[number] | undefined;
  readonly member: string | undefined;
  readonly invitation: string | undefined;
}

export function parseMemberSearch(raw: SearchParams): MemberSearch {
  return {
    q: readText(raw['q']),
    role: readChoice(raw['role'], ['admin', 'editor', 'viewer'] as const),
    do: readChoice(raw['do'], DIALOGS),
    member: readText(raw['member']),
    invitation: readText(raw['invitation']),
  };
}
