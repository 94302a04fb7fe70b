import { useNavigate } from '@tanstack/react-router';
import { t } from '../messages.ts';
import { readText, type SearchParams, useSearchState } from '../navigation/use-search-state.ts';
import { SignInForm } from '../session/sign-in-form.tsx';
import { AccountFrame } from './account-frame.tsx';

/** `next` is the address that asked for a session. Only addresses of this dashboard count. */
const parse = (raw: SearchParams) => {
  const next = readText(raw['next']);
  return { next: next !== undefined && /^\/(?![/\\])/.test(next) ? next : '/' };
};

export function SignInPage() {
  const [{ next }] = useSearchState(parse);
  const navigate = useNavigate();
  return (
    <AccountFrame title={t.signIn.title} intro={location.host} foot={t.signIn.foot}>
      <SignInForm onSignedIn={() => void navigate({ href: next, replace: true })} />
    </AccountFrame>
  );
}
