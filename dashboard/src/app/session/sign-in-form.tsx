import { useState } from 'react';
import { type ApiProblem, toProblem } from '../../api/problem.ts';
import { problemWords } from '../../api/problem-words.ts';
import { Button } from '../../ui/button.tsx';
import { Form } from '../../ui/form.tsx';
import { Link } from '../../ui/link.tsx';
import { TextField } from '../../ui/text-field.tsx';
import { t } from '../messages.ts';
import { useServices } from '../services.ts';

/** E-mail and password, and the code of the second factor when the server asks for it. */
export function SignInForm(props: {
  /** Known when a session ended: the form then has only the password. */
  readonly email?: string | undefined;
  readonly onSignedIn?: () => void;
  readonly submit?: string;
}) {
  const { email: knownEmail, onSignedIn, submit = t.signIn.submit } = props;
  const { session } = useServices();
  const [email, setEmail] = useState(knownEmail ?? '');
  const [secret, setSecret] = useState('');
  const [mfaToken, setMfaToken] = useState<string>();
  const [problem, setProblem] = useState<ApiProblem>();
  const [isPending, setPending] = useState(false);
  const send = async (): Promise<void> => {
    setPending(true);
    setProblem(undefined);
    try {
      if (mfaToken === undefined) await session.enter('/login', { email, password: secret });
      else await session.enter('/mfa/verify', { mfa_token: mfaToken, code: secret.replaceAll(' ', '') });
      onSignedIn?.();
    } catch (error) {
      const found = toProblem(error);
      if (found.code === 'MFA_REQUIRED') {
        setMfaToken(String(found.details['mfa_token']));
        setSecret('');
      } else setProblem(found);
      if (found.code === 'INVALID_MFA_TOKEN') setMfaToken(undefined);
    } finally {
      setPending(false);
    }
  };
  const words = problem && problemWords(problem);
  const error = words && [words.title, words.remedy].filter(Boolean).join('. ');
  return (
    <Form onSubmit={() => void send()}>
      {mfaToken === undefined && knownEmail === undefined && (
        <TextField
          label={t.signIn.email}
          name="email"
          type="email"
          autoComplete="username"
          value={email}
          onChange={setEmail}
          autoFocus
          isRequired
        />
      )}
      {mfaToken === undefined ? (
        <TextField
          key="password"
          label={knownEmail === undefined ? t.signIn.password : t.signIn.passwordFor(knownEmail)}
          name="password"
          type="password"
          autoComplete="current-password"
          value={secret}
          onChange={setSecret}
          autoFocus={knownEmail !== undefined}
          aside={<Link href="/forgot-password">{t.signIn.forgot}</Link>}
          error={error}
          isRequired
        />
      ) : (
        <TextField
          key="code"
          label={t.signIn.code}
          name="code"
          autoComplete="one-time-code"
          value={secret}
          onChange={setSecret}
          autoFocus
          error={error}
          isRequired
        />
      )}
      <Button kind="main" type="submit" isWide isPending={isPending}>
        {mfaToken === undefined ? submit : t.signIn.codeSubmit}
      </Button>
    </Form>
  );
}
