import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { AccountFrame } from '../app/account/account-frame.tsx';
import { useServices } from '../app/services.ts';
import { Button } from '../ui/button.tsx';
import { Checkbox } from '../ui/choice.tsx';
import { ErrorState } from '../ui/error-state.tsx';
import { Form } from '../ui/form.tsx';
import { Link } from '../ui/link.tsx';
import { showToast } from '../ui/toast.tsx';
import { NewPasswordField } from './account-fields.tsx';
import { takeLinkToken } from './link-token.ts';
import { t } from './messages.ts';
import { NoToken } from './no-token.tsx';
import { useAccountForm } from './use-account-form.ts';

/** Where the link of a reset ends. */
export function ResetPage() {
  const [token] = useState(takeLinkToken);
  return token === undefined ? <NoToken /> : <ResetForm token={token} />;
}

function ResetForm({ token }: { readonly token: string }) {
  const { session } = useServices();
  const navigate = useNavigate();
  const [password, setPassword] = useState('');
  const [endsTokens, setEndsTokens] = useState(true);
  const form = useAccountForm(async () => {
    await session.enter('/password/reset', { token, password, revoke_tokens: endsTokens });
    showToast(t.reset.done);
    await navigate({ href: '/signin', replace: true });
  });
  return (
    <AccountFrame title={t.reset.title} intro={t.reset.intro}>
      <Form onSubmit={form.submit} errors={form.errors}>
        {form.problem && <ErrorState problem={form.problem} />}
        {form.problem?.code === 'INVALID_RESET_TOKEN' && (
          <Link href="/forgot-password">{t.forgot.title}</Link>
        )}
        <NewPasswordField label={t.newPassword} value={password} onChange={setPassword} autoFocus />
        <Checkbox
          label={t.reset.tokens}
          note={t.reset.tokensNote}
          isSelected={endsTokens}
          onChange={setEndsTokens}
        />
        <Button kind="main" type="submit" isWide isPending={form.isPending}>
          {t.reset.submit}
        </Button>
      </Form>
    </AccountFrame>
  );
}
