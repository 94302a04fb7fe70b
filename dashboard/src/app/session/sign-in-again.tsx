import { type ReactNode, useEffect, useRef } from 'react';
import { Button } from '../../ui/button.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { Stack } from '../../ui/layout.tsx';
import { t } from '../messages.ts';
import { SignInForm } from './sign-in-form.tsx';
import { useSignOut } from './use-sign-out.ts';

/** Over the page when the session ended while it was open. The page and what was typed stay. */
export function SignInAgain({ email }: { readonly email: string | undefined }) {
  const signOut = useSignOut();
  return (
    <Dialog isOpen isOnTop role="alertdialog" title={t.signIn.againTitle} intro={t.signIn.againIntro}>
      <KeptFocus>
        <SignInForm email={email} submit={t.signIn.againSubmit} />
        <Button onPress={signOut} isWide>
          {t.signIn.someoneElse}
        </Button>
      </KeptFocus>
    </Dialog>
  );
}

/** Takes the focus back from a dialog that opens below: its code may have been loading when the session ended. */
function KeptFocus({ children }: { readonly children: ReactNode }) {
  const ref = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const takeBack = ({ target }: FocusEvent): void => {
      const dialog = ref.current?.closest('[role]');
      if (target instanceof Node && !dialog?.contains(target)) ref.current?.querySelector('input')?.focus();
    };
    document.addEventListener('focusin', takeBack);
    return () => document.removeEventListener('focusin', takeBack);
  }, []);
  return (
    <div ref={ref}>
      <Stack>{children}</Stack>
    </div>
  );
}
