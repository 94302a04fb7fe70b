import { useState } from 'react';
import { AccountFrame } from '../app/account/account-frame.tsx';
import { useServices } from '../app/services.ts';
import { Button, ButtonLink } from '../ui/button.tsx';
import { ErrorState } from '../ui/error-state.tsx';
import { Form } from '../ui/form.tsx';
import { Link } from '../ui/link.tsx';
import { EmailField } from './account-fields.tsx';
import { t } from './messages.ts';
import { useAccountForm } from './use-account-form.ts';

/** Asks for a link to choose a new password. The answer is the same for every address. */
export function ForgotPage() {
  const { session } = useServices();
  const [email, setEmail] = useState('');
  const [isSent, setSent] = useState(false);
  const form = useAccountForm(async () => {
    await session.enter('/password/forgot', { email: email.trim() });
    setSent(true);
  });
  if (isSent)
    return (
      <AccountFrame title={t.forgot.sentTitle} intro={t.forgot.sent(email.trim())} foot={t.forgot.nothing}>
        <ButtonLink href="/signin" isWide>
          {t.backToSignIn}
        </ButtonLink>
      </AccountFrame>
    );
  return (
    <AccountFrame
      title={t.forgot.title}
      intro={t.forgot.intro}
      foot={<Link href="/signin">{t.backToSignIn}</Link>}
    >
      <Form onSubmit={form.submit} errors={form.errors}>
        {form.problem && <ErrorState problem={form.problem} />}
        <EmailField value={email} onChange={setEmail} autoFocus />
        <Button kind="main" type="submit" isWide isPending={form.isPending}>
          {t.forgot.submit}
        </Button>
      </Form>
    </AccountFrame>
  );
}
