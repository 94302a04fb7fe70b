import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { AccountFrame } from '../app/account/account-frame.tsx';
import { useServices } from '../app/services.ts';
import { Button } from '../ui/button.tsx';
import { Checkbox } from '../ui/choice.tsx';
import { ErrorState } from '../ui/error-state.tsx';
import { Form } from '../ui/form.tsx';
import { showToast } from '../ui/toast.tsx';
import { NameField, NewPasswordField } from './account-fields.tsx';
import { takeLinkToken } from './link-token.ts';
import { t } from './messages.ts';
import { NoToken } from './no-token.tsx';
import { useAccountForm } from './use-account-form.ts';

/** Where the link of an invitation ends. */
export function InvitationPage() {
  const [token] = useState(takeLinkToken);
  return token === undefined ? <NoToken /> : <InvitationForm token={token} />;
}

function InvitationForm({ token }: { readonly token: string }) {
  const { session } = useServices();
  const navigate = useNavigate();
  const [name, setName] = useState('');
  const [password, setPassword] = useState('');
  const [hasAccount, setHasAccount] = useState(false);
  const form = useAccountForm(async () => {
    const person = hasAccount ? {} : { password, ...(name.trim() !== '' && { full_name: name.trim() }) };
    const { email } = await session.enter('/invitations/accept', { token, ...person });
    if (hasAccount) {
      showToast(t.invitation.joined);
      return navigate({ href: '/signin', replace: true });
    }
    await session.enter('/login', { email, password });
    return navigate({ href: '/', replace: true });
  });
  return (
    <AccountFrame title={t.invitation.title} intro={t.invitation.intro}>
      <Form onSubmit={form.submit} errors={form.errors}>
        {form.problem && <ErrorState problem={form.problem} />}
        {!hasAccount && (
          <>
            <NameField value={name} onChange={setName} autoFocus />
            <NewPasswordField value={password} onChange={setPassword} />
          </>
        )}
        <Checkbox
          label={t.invitation.existing}
          note={t.invitation.existingNote}
          isSelected={hasAccount}
          onChange={setHasAccount}
        />
        <Button kind="main" type="submit" isWide isPending={form.isPending}>
          {t.invitation.submit}
        </Button>
      </Form>
    </AccountFrame>
  );
}
