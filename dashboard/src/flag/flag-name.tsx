import { useMemberNames } from '../app/scope/use-member-names.ts';
import { useFlagNames } from './use-flag-names.ts';

/** Another flag by its name; its key on hover. */
export function FlagName({ flagKey }: { readonly flagKey: string }) {
  return <span title={flagKey}>{useFlagNames([flagKey])(flagKey)}</span>;
}

/** A member by name; somebody who has left by id. */
export function MemberName({ id }: { readonly id: string }) {
  return <span title={id}>{useMemberNames()(id) ?? id}</span>;
}
