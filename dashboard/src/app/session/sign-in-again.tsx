import { Button } from '../../ui/button.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { t } from '../messages.ts';
import { SignInForm } from './sign-in-form.tsx';
import { useSignOut } from './use-sign-out.ts';

/** Over the page when the session ended while it was open. The page and what was typed stay. */
export function SignInAgain({ email }: { readonly email: string | undefined }) {
  const signOut = useSignOut();
  return (
    <Dialog isOpen role="alertdialog" title={t.signIn.againTitle} intro={t.signIn.againIntro}>
      <SignInForm email={email} submit={t.signIn.againSubmit} />
      <Button onPress={signOut} isWide>
        {t.signIn.someoneElse}
      </Button>
    </Dialog>
  );
}
