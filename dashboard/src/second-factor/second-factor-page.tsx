import { useState } from 'react';
import { usePage } from '../app/navigation/use-page.ts';
import { useScope } from '../app/scope/use-scope.ts';
import { Button } from '../ui/button.tsx';
import { ErrorState } from '../ui/error-state.tsx';
import { Note, Stack } from '../ui/layout.tsx';
import { Card, EmptyState, Notice, PageHeader, Skeleton } from '../ui/surface.tsx';
import { showToast } from '../ui/toast.tsx';
import { EnrolmentPassword, SecretStep } from './enrolment.tsx';
import { FactorCard } from './factor-card.tsx';
import { t } from './messages.ts';
import { RecoveryCodes } from './recovery-codes.tsx';
import { useEnrolment, useSecondFactor } from './use-second-factor.ts';

/** Sets up the second factor of the person, renews its recovery codes, and turns it off. */
export function SecondFactorPage() {
  const { hrefTo } = useScope();
  usePage(t.title, [{ label: t.settings, href: hrefTo('settings') }]);
  const { status, problem, retry } = useSecondFactor();
  const isMissing = status?.required === true && status.totp !== 'on';
  return (
    <>
      <PageHeader title={t.title} intro={t.intro} />
      <Stack>
        {isMissing && (
          <Notice tone="warn" title={t.required}>
            {t.requiredText}
          </Notice>
        )}
        {problem ? (
          <ErrorState problem={problem} onRetry={retry} />
        ) : status === undefined ? (
          <Card>
            <Skeleton />
          </Card>
        ) : (
          <Content status={status} />
        )}
      </Stack>
    </>
  );
}

function Content({ status }: { readonly status: NonNullable<ReturnType<typeof useSecondFactor>['status']> }) {
  const { me } = useScope();
  const [codes, setCodes] = useState<readonly string[]>();
  const enrolment = useEnrolment((made) => {
    setCodes(made);
    showToast(t.turnedOn);
  });
  const { secret, problem, isPending, start } = enrolment;
  if (codes !== undefined)
    return (
      <Card title={t.codes.title}>
        <RecoveryCodes codes={codes} email={me.email ?? ''} onDone={() => setCodes(undefined)} />
      </Card>
    );
  if (status.totp === 'on') return <FactorCard status={status} onCodes={setCodes} />;
  return (
    <>
      {secret !== undefined ? (
        <Card title={t.scan.title}>
          <SecretStep key={secret.secret} enrolment={enrolment} secret={secret} />
        </Card>
      ) : (
        <Card>
          <Stack>
            {problem && <ErrorState problem={problem} />}
            <EmptyState
              icon="shield"
              title={t.off.title}
              actions={
                <Button kind="main" onPress={start} isPending={isPending}>
                  {t.off.action}
                </Button>
              }
            >
              <Note>{t.off.text}</Note>
            </EmptyState>
          </Stack>
        </Card>
      )}
      <EnrolmentPassword enrolment={enrolment} />
    </>
  );
}
