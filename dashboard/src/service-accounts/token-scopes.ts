import type { Scope } from './use-accounts.ts';

/** Each includes the ones before it. */
const ORDER: readonly Scope[] = ['read', 'code_references:write', 'flags:write', 'admin'];

/** The scope that says what a token may do: the others are in it. */
export function widestScope(scopes: readonly Scope[]): Scope {
  return ORDER.findLast((scope) => scopes.includes(scope)) ?? 'read';
}
