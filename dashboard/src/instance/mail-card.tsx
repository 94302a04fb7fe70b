import { useState } from 'react';
import { unwrap } from '../api/client.ts';
import { fieldErrors } from '../api/problem.ts';
import { useChange } from '../app/changes/use-change.ts';
import { useScope } from '../app/scope/use-scope.ts';
import { useApi } from '../app/services.ts';
import { Button } from '../ui/button.tsx';
import { ErrorState } from '../ui/error-state.tsx';
import { Form } from '../ui/form.tsx';
import { Line, Note, Stack } from '../ui/layout.tsx';
import { Card, Notice } from '../ui/surface.tsx';
import { TextField } from '../ui/text-field.tsx';
import styles from './instance.module.css';
import { t } from './messages.ts';

/** Sends a mail now, and shows what the mail server said. */
export function MailCard() {
  const { me } = useScope();
  const api = useApi();
  const [email, setEmail] = useState(me.email ?? '');
  const change = useChange({
    send: async (to: string) =>
      (await unwrap(api.POST('/api/v1/instance/test-mail', { body: { email: to } }))).data,
    outdates: ['instance_status', 'audit'],
  });
  const { problem, output, state } = change;
  const isPending = state === 'saving';
  return (
    <Card title={t.test.title}>
      <div className={styles.narrow}>
        <Form onSubmit={() => void (!isPending && change.save(email.trim()))} errors={fieldErrors(problem)}>
          <Note tone="muted">{t.test.text}</Note>
          <TextField
            label={t.test.email}
            name="email"
            type="email"
            autoComplete="email"
            value={email}
            onChange={setEmail}
            maxLength={254}
          />
          <Line>
            <Button type="submit" icon="mail" isPending={isPending}>
              {t.test.send}
            </Button>
            {isPending && (
              <Note tone="faint" isSmall>
                {t.test.slow}
              </Note>
            )}
          </Line>
        </Form>
      </div>
      <Stack>
        {problem && problem.fields.length === 0 && <ErrorState problem={problem} />}
        {output && !isPending && (
          <Notice
            tone={output.sent ? 'good' : 'bad'}
            title={output.sent ? t.test.sent : t.test.failed}
            isUrgent
          >
            {output.explanation}
            {output.answer !== null && (
              <>
                <br />
                {t.test.answer}: <code>{output.answer}</code>
              </>
            )}
          </Notice>
        )}
      </Stack>
    </Card>
  );
}
