import { type ReactNode, useState } from 'react';
import { unwrap } from '../../api/client.ts';
import { type ApiProblem, toProblem } from '../../api/problem.ts';
import { Button } from '../../ui/button.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { ErrorState } from '../../ui/error-state.tsx';
import { Form } from '../../ui/form.tsx';
import { TextField } from '../../ui/text-field.tsx';
import { useApi } from '../services.ts';
import { t } from './messages.ts';

const FORM = 'confirm-password';

/** Asks for the password, and for a code where a second factor is on, before something that needs a recent login. */
export function PasswordDialog(props: {
  readonly title: string;
  readonly intro?: ReactNode;
  /** What the button does. */
  readonly action: string;
  readonly isDanger?: boolean;
  /** True asks for the code at once; otherwise when the server does. */
  readonly hasSecondFactor?: boolean;
  /** Runs after the password was right. What it throws is shown in the dialog. */
  readonly run: () => Promise<void>;
  readonly onClose: () => void;
  readonly children?: ReactNode;
}) {
  const { title, intro, action, isDanger, run, onClose, children } = props;
  const form = usePasswordForm(props.hasSecondFactor ?? false, run);
  return (
    <Dialog
      isOpen
      isStubborn={form.password !== ''}
      onClose={onClose}
      title={title}
      intro={intro}
      foot={
        <>
          <Button kind={isDanger ? 'danger' : 'main'} type="submit" form={FORM} isPending={form.isPending}>
            {action}
          </Button>
          <Button onPress={onClose}>{t.cancel}</Button>
        </>
      }
    >
      <Form id={FORM} onSubmit={form.submit}>
        {form.problem && <ErrorState problem={form.problem} />}
        {children}
        <TextField
          label={t.password}
          name="password"
          type="password"
          autoComplete="current-password"
          value={form.password}
          onChange={form.setPassword}
          error={form.wrong === 'password' ? t.wrongPassword : undefined}
          autoFocus
          isRequired
        />
        {form.needsCode && (
          <TextField
            label={t.code}
            help={t.codeHelp}
            name="code"
            autoComplete="one-time-code"
            value={form.code}
            onChange={form.setCode}
            error={form.wrong === 'code' ? t.wrongCode : undefined}
            isRequired
          />
        )}
      </Form>
    </Dialog>
  );
}

function usePasswordForm(hasSecondFactor: boolean, run: () => Promise<void>) {
  const api = useApi();
  const [password, setPassword] = useState('');
  const [code, setCode] = useState('');
  const [needsCode, setNeedsCode] = useState(hasSecondFactor);
  const [problem, setProblem] = useState<ApiProblem>();
  const [isPending, setPending] = useState(false);
  const send = async (): Promise<void> => {
    if (isPending || password === '' || (needsCode && code === '')) return;
    setPending(true);
    setProblem(undefined);
    try {
      const body = { password, ...(needsCode && { code: code.replaceAll(' ', '') }) };
      await unwrap(api.POST('/api/v1/auth/reauthenticate', { body }));
      await run();
    } catch (error) {
      const found = toProblem(error);
      if (found.code === 'MFA_REQUIRED') setNeedsCode(true);
      else setProblem(found);
      // A code works once, whatever the answer was.
      setCode('');
    } finally {
      setPending(false);
    }
  };
  const wrong = problem && WRONG[problem.code];
  return {
    password,
    setPassword,
    code,
    setCode,
    needsCode,
    isPending,
    wrong,
    problem: wrong === undefined ? problem : undefined,
    submit: () => void send(),
  };
}

const WRONG: Readonly<Record<string, 'password' | 'code'>> = {
  INVALID_CREDENTIALS: 'password',
  INVALID_MFA_CODE: 'code',
};
