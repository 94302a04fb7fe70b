import { useState } from 'react';
import { unwrap } from '../api/client.ts';
import { fieldErrors } from '../api/problem.ts';
import { useChange } from '../app/changes/use-change.ts';
import { useApi } from '../app/services.ts';
import { Button } from '../ui/button.tsx';
import { Checkbox } from '../ui/choice.tsx';
import { ErrorState } from '../ui/error-state.tsx';
import { Form } from '../ui/form.tsx';
import { Note } from '../ui/layout.tsx';
import { Link } from '../ui/link.tsx';
import { Card } from '../ui/surface.tsx';
import { TextField } from '../ui/text-field.tsx';
import { showToast } from '../ui/toast.tsx';
import { t } from './messages.ts';
import styles from './profile.module.css';

const words = t.password;

/** Changes the password. Says what a password needs, and which sessions end, before it is sent. */
export function PasswordCard() {
  const form = usePasswordChange();
  const { errors } = form;
  return (
    <Card title={words.title}>
      <div className={styles.narrow}>
        <Form onSubmit={form.submit}>
          <Note tone="muted">{words.policy}</Note>
          {form.problem && <ErrorState problem={form.problem} />}
          <TextField
            label={words.current}
            name="current_password"
            type="password"
            autoComplete="current-password"
            value={form.current}
            onChange={form.setCurrent}
            aside={<Link href="/forgot-password">{words.forgot}</Link>}
            error={errors['current_password']}
            maxLength={1024}
          />
          <TextField
            label={words.next}
            name="new_password"
            type="password"
            autoComplete="new-password"
            value={form.next}
            onChange={form.setNext}
            error={errors['new_password']}
            maxLength={1024}
          />
          <Checkbox
            label={words.tokens}
            note={words.tokensNote}
            isSelected={form.endsTokens}
            onChange={form.setEndsTokens}
          />
          <div>
            <Button type="submit" isPending={form.isPending}>
              {words.action}
            </Button>
          </div>
        </Form>
      </div>
    </Card>
  );
}

function usePasswordChange() {
  const api = useApi();
  const [current, setCurrent] = useState('');
  const [next, setNext] = useState('');
  const [endsTokens, setEndsTokens] = useState(false);
  const change = useChange({
    send: async () => {
      const body = { current_password: current, new_password: next, revoke_tokens: endsTokens };
      await unwrap(api.POST('/api/v1/auth/password/change', { body }));
      return true;
    },
    outdates: ['session', 'personal_token', 'audit'],
    onSaved: () => {
      setCurrent('');
      setNext('');
      setEndsTokens(false);
      showToast(words.done);
    },
  });
  const { problem } = change;
  const errors: Readonly<Record<string, string>> = {
    ...fieldErrors(problem),
    ...(problem?.code === 'INVALID_CREDENTIALS' && { current_password: words.wrong }),
    ...(problem?.code === 'PASSWORD_TOO_COMMON' && { new_password: problem.message }),
  };
  return {
    current,
    setCurrent,
    next,
    setNext,
    endsTokens,
    setEndsTokens,
    errors,
    problem: problem && Object.keys(errors).length === 0 ? problem : undefined,
    isPending: change.state === 'saving',
    submit: () => void (current !== '' && next !== '' && change.save(undefined)),
  };
}
