import { useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useEffect, useState } from 'react';
import { AccountFrame } from '../app/account/account-frame.tsx';
import { useMe } from '../app/scope/use-scope.ts';
import { useSessionState } from '../app/services.ts';
import { useSignOut } from '../app/session/use-sign-out.ts';
import { Button } from '../ui/button.tsx';
import { ErrorState } from '../ui/error-state.tsx';
import { Stack } from '../ui/layout.tsx';
import { EnrolmentPassword, SecretStep } from './enrolment.tsx';
import { t } from './messages.ts';
import { RecoveryCodes } from './recovery-codes.tsx';
import styles from './second-factor.module.css';
import { useEnrolment } from './use-second-factor.ts';

/** The only page that a person sees whose organization requires a second factor, until they have one. */
export function EnrolPage() {
  const signOut = useSignOut();
  const state = useSessionState();
  const navigate = useNavigate();
  const queries = useQueryClient();
  const me = useMe(state === 'in');
  const [codes, setCodes] = useState<readonly string[]>();
  const enrolment = useEnrolment(setCodes);
  const { secret, problem, isPending, start } = enrolment;
  useEffect(() => {
    if (state === 'out' || state === 'ended') void navigate({ href: '/signin', replace: true });
  }, [state, navigate]);
  const enter = (): void => {
    // Forgets the refusals, so that the pages load.
    queries.clear();
    void navigate({ href: '/', replace: true });
  };
  if (codes !== undefined)
    return (
      <AccountFrame title={t.codes.title} isWide>
        <RecoveryCodes codes={codes} email={me.data?.email ?? ''} onDone={enter} />
      </AccountFrame>
    );
  return (
    <AccountFrame
      title={secret === undefined ? t.enrol.title : t.scan.title}
      intro={secret === undefined ? t.enrol.intro : undefined}
      isWide
    >
      {secret !== undefined ? (
        <div className={styles.single}>
          <SecretStep key={secret.secret} enrolment={enrolment} secret={secret} />
        </div>
      ) : (
        <Stack>
          <p>{t.off.text}</p>
          {problem?.code === 'MFA_ALREADY_ON' ? (
            <Button kind="main" onPress={enter} isWide>
              {t.enrol.goOn}
            </Button>
          ) : (
            <>
              {problem && <ErrorState problem={problem} />}
              <Button kind="main" onPress={start} isPending={isPending || state !== 'in'} isWide>
                {t.off.action}
              </Button>
            </>
          )}
          <Button onPress={signOut} isWide>
            {t.enrol.signOut}
          </Button>
        </Stack>
      )}
      <EnrolmentPassword enrolment={enrolment} />
    </AccountFrame>
  );
}
