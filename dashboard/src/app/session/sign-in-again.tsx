import { Button } from '../../ui/button.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { clearDrafts } from '../drafts/use-draft.ts';
import { t } from '../messages.ts';
import { useServices } from '../services.ts';
import { SignInForm } from './sign-in-form.tsx';

/** Over the page when the session ended while it was open. The page and what was typed stay. */
export function SignInAgain({ email }: { readonly email: string | undefined }) {
  const { session } = useServices();
  const someoneElse = (): void => {
    clearDrafts();
    void session.leave();
  };
  return (
    <Dialog isOpen role="alertdialog" title={t.signIn.againTitle} intro={t.signIn.againIntro}>
      <SignInForm email={email} submit={t.signIn.againSubmit} />
      <Button onPress={someoneElse} isWide>
        {t.signIn.someoneElse}
      </Button>
    </Dialog>
  );
}
