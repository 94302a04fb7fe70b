import { useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useEffect } from 'react';
import { unwrap } from '../../api/client.ts';
import { t } from '../messages.ts';
import { readText, type SearchParams, useSearchState } from '../navigation/use-search-state.ts';
import { useApi } from '../services.ts';
import { SignInForm } from '../session/sign-in-form.tsx';
import { AccountFrame } from './account-frame.tsx';
import { ownAddress } from './own-address.ts';

/** `next` is the address that asked for a session. */
const parse = (raw: SearchParams) => ({ next: ownAddress(readText(raw['next']), location.origin) });

/** The page for people without a session. A fresh installation leads on to its first account. */
export function SignInPage() {
  const [{ next }] = useSearchState(parse);
  const navigate = useNavigate();
  const api = useApi();
  const { data: instance } = useQuery({
    queryKey: ['instance'],
    queryFn: async () => (await unwrap(api.GET('/api/v1/instance'))).data,
  });
  const isEmpty = instance?.has_users === false;
  useEffect(() => {
    if (isEmpty) void navigate({ href: '/register', replace: true });
  }, [isEmpty, navigate]);
  return (
    <AccountFrame title={t.signIn.title} intro={location.host} foot={t.signIn.foot}>
      <SignInForm onSignedIn={() => void navigate({ href: next + location.hash, replace: true })} />
    </AccountFrame>
  );
}
