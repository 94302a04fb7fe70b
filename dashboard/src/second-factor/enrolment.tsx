import { useState } from 'react';
import { PasswordDialog } from '../app/reauthenticate/password-dialog.tsx';
import { Button } from '../ui/button.tsx';
import { CopyButton } from '../ui/copy.tsx';
import { ErrorState } from '../ui/error-state.tsx';
import { Form } from '../ui/form.tsx';
import { Line, Note, Stack } from '../ui/layout.tsx';
import { TextField } from '../ui/text-field.tsx';
import { t } from './messages.ts';
import { QrCode } from './qr-code.tsx';
import styles from './second-factor.module.css';
import type { Secret, useEnrolment } from './use-second-factor.ts';

type Enrolment = ReturnType<typeof useEnrolment>;

/** The secret as a picture and as text, and the first code that proves that the app has it. */
export function SecretStep({
  enrolment,
  secret,
}: {
  readonly enrolment: Enrolment;
  readonly secret: Secret;
}) {
  const [code, setCode] = useState('');
  const { problem, isPending, confirm, start, cancel } = enrolment;
  const isWrong = problem?.code === 'INVALID_MFA_CODE';
  const isOutdated = problem?.code === 'MFA_NOT_STARTED' || problem?.code === 'MFA_ALREADY_ON';
  return (
    <div className={styles.enrolment}>
      <Stack gap="close">
        <Note isStrong>{t.scan.steps}</Note>
        <QrCode text={secret.otpauth_url} label={t.scan.picture} />
        <a href={secret.otpauth_url}>{t.scan.open}</a>
      </Stack>
      <div className={styles.form}>
        <Form onSubmit={() => code.trim() !== '' && confirm(code)}>
          <Stack gap="close">
            <Note isStrong>{t.scan.byHand}</Note>
            <span className={styles.secret}>
              <code>{inFours(secret.secret)}</code>
              <CopyButton text={secret.secret}>{t.scan.copy}</CopyButton>
            </span>
          </Stack>
          {problem && !isWrong && !isOutdated && <ErrorState problem={problem} />}
          <TextField
            label={t.scan.code}
            help={t.scan.codeHelp}
            name="code"
            autoComplete="one-time-code"
            inputMode="numeric"
            value={code}
            onChange={setCode}
            error={isWrong ? t.scan.wrongCode : isOutdated ? t.scan.notStarted : undefined}
            maxLength={20}
            autoFocus
            isMono
          />
          <Line>
            {isOutdated ? (
              <Button kind="main" onPress={start} isPending={isPending}>
                {t.scan.again}
              </Button>
            ) : (
              <Button kind="main" type="submit" isPending={isPending}>
                {t.scan.confirm}
              </Button>
            )}
            <Button onPress={cancel}>{t.scan.cancel}</Button>
          </Line>
        </Form>
      </div>
    </div>
  );
}

/** Asks for the password when the login is too old for a step. */
export function EnrolmentPassword({ enrolment }: { readonly enrolment: Enrolment }) {
  if (enrolment.waiting === undefined) return null;
  return (
    <PasswordDialog
      title={t.confirmTitle}
      intro={t.confirmIntro}
      action={t.confirmAction}
      run={enrolment.resume}
      onClose={enrolment.stopWaiting}
    />
  );
}

/** `ABCD EFGH …`: easier to type, and apps ignore the spaces. */
const inFours = (secret: string): string => secret.replace(/(.{4})(?=.)/g, '$1 ');
