import type { components } from '@flagsvc/openapi';
import { useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { unwrap } from '../api/client.ts';
import { toProblem } from '../api/problem.ts';
import { AccountFrame } from '../app/account/account-frame.tsx';
import { useApi, useServices } from '../app/services.ts';
import { Button, ButtonLink } from '../ui/button.tsx';
import { ErrorState } from '../ui/error-state.tsx';
import { Form } from '../ui/form.tsx';
import { Note } from '../ui/layout.tsx';
import { Skeleton } from '../ui/surface.tsx';
import { showToast } from '../ui/toast.tsx';
import { NameField, NewPasswordField } from './account-fields.tsx';
import { takeLinkToken } from './link-token.ts';
import { t } from './messages.ts';
import { NoToken } from './no-token.tsx';
import { useAccountForm } from './use-account-form.ts';

type Invitation = components['schemas']['InspectInvitationAnswer'];

/** Where the link of an invitation ends. */
export function InvitationPage() {
  const [token] = useState(takeLinkToken);
  return token === undefined ? <NoToken /> : <Invited token={token} />;
}

/** Asks first who invites, and to what. */
function Invited({ token }: { readonly token: string }) {
  const api = useApi();
  const { data, error, refetch } = useQuery({
    queryKey: ['invitation', token],
    // A second answer could not differ while the page is open, and would count against the limit of attempts.
    staleTime: Number.POSITIVE_INFINITY,
    retry: false,
    queryFn: async () =>
      (await unwrap(api.POST('/api/v1/auth/invitations/inspect', { body: { token } }))).data,
  });
  if (data) return <InvitationForm token={token} invitation={data} />;
  const problem = error && toProblem(error);
  const isOver = problem?.code === 'INVALID_INVITATION';
  return (
    <AccountFrame title={t.invitation.title}>
      {!problem && <Skeleton lines={4} />}
      {problem && <ErrorState problem={problem} {...(!isOver && { onRetry: () => void refetch() })} />}
      {isOver && (
        <ButtonLink href="/signin" isWide>
          {t.backToSignIn}
        </ButtonLink>
      )}
    </AccountFrame>
  );
}

function InvitationForm({ token, invitation }: { readonly token: string; readonly invitation: Invitation }) {
  const { organization_name: organization, email, role, invited_by: inviter, has_account } = invitation;
  const { session } = useServices();
  const navigate = useNavigate();
  const [name, setName] = useState('');
  const [password, setPassword] = useState('');
  const form = useAccountForm(async () => {
    const person = has_account ? {} : { password, ...(name.trim() !== '' && { full_name: name.trim() }) };
    await session.enter('/invitations/accept', { token, ...person });
    if (has_account) {
      showToast(t.invitation.joined(organization));
      return navigate({ href: '/signin', replace: true });
    }
    await session.enter('/login', { email, password });
    return navigate({ href: '/', replace: true });
  });
  return (
    <AccountFrame
      title={t.invitation.titleOf(organization)}
      intro={t.invitation.intro(inviter, email, t.invitation.roles[role])}
    >
      <Form onSubmit={form.submit} errors={form.errors}>
        {form.problem && <ErrorState problem={form.problem} />}
        {has_account ? (
          <Note tone="muted">{t.invitation.hasAccount}</Note>
        ) : (
          <>
            <NameField value={name} onChange={setName} autoFocus />
            <NewPasswordField value={password} onChange={setPassword} />
          </>
        )}
        <Button kind="main" type="submit" isWide isPending={form.isPending}>
          {t.invitation.submit(organization)}
        </Button>
      </Form>
    </AccountFrame>
  );
}
