import { useState } from 'react';
import { unwrap } from '../api/client.ts';
import { fieldErrors } from '../api/problem.ts';
import type { Member } from '../api/types.ts';
import { attemptHeaders, useChange } from '../app/changes/use-change.ts';
import { useScope } from '../app/scope/use-scope.ts';
import { useApi } from '../app/services.ts';
import { Button } from '../ui/button.tsx';
import { Dialog } from '../ui/dialog.tsx';
import { ErrorState } from '../ui/error-state.tsx';
import { Form } from '../ui/form.tsx';
import { Note } from '../ui/layout.tsx';
import { TextField } from '../ui/text-field.tsx';
import { showToast } from '../ui/toast.tsx';
import { t } from './messages.ts';
import { nameOf } from './use-members.ts';

const FORM = 'reset-factor';

interface Secret {
  readonly password: string;
  readonly code: string;
}

/** Removes the second factor of a member who has lost it. The admin confirms with the own password. */
export function ResetFactorDialog(props: { readonly member: Member; readonly onClose: () => void }) {
  const { member, onClose } = props;
  const name = nameOf(member);
  const [secret, setSecret] = useState<Secret>({ password: '', code: '' });
  const change = useReset({ member, onClose });
  const { problem } = change;
  const errors = fieldErrors(problem);
  const needsCode = secret.code !== '' || problem?.code === 'INVALID_MFA_CODE' || 'code' in errors;
  const whyNot = secret.password === '' ? t.reset.passwordFirst : undefined;
  return (
    <Dialog
      isOpen
      onClose={onClose}
      title={t.reset.title(name)}
      foot={
        <>
          <Button
            kind="danger"
            type="submit"
            form={FORM}
            isPending={change.state === 'saving'}
            whyNot={whyNot}
          >
            {t.reset.action}
          </Button>
          <Button onPress={onClose}>{t.cancel}</Button>
        </>
      }
    >
      <Form
        id={FORM}
        errors={errors}
        onSubmit={() => {
          if (whyNot === undefined) void change.save(secret);
        }}
      >
        {problem && problem.fields.length === 0 && <ErrorState problem={problem} />}
        <p>{t.reset.text}</p>
        <p>{t.reset.ends}</p>
        <TextField
          label={t.reset.password}
          help={t.reset.passwordHelp}
          name="password"
          type="password"
          autoComplete="current-password"
          value={secret.password}
          onChange={(password) => setSecret({ ...secret, password })}
          autoFocus
        />
        {needsCode && (
          <TextField
            label={t.reset.code}
            name="code"
            autoComplete="one-time-code"
            inputMode="numeric"
            value={secret.code}
            onChange={(code) => setSecret({ ...secret, code })}
          />
        )}
        <Note tone="faint" isSmall>
          {t.reset.forgotten}
        </Note>
      </Form>
    </Dialog>
  );
}

function useReset({ member, onClose }: { readonly member: Member; readonly onClose: () => void }) {
  const api = useApi();
  const { organization } = useScope();
  return useChange({
    send: async ({ password, code }: Secret, attempt) => {
      await unwrap(
        api.POST('/api/v1/auth/reauthenticate', { body: { password, ...(code !== '' && { code }) } }),
      );
      return unwrap(
        api.POST('/api/v1/organizations/{organization_id}/members/{user_id}/reset-mfa', {
          params: {
            header: attemptHeaders(attempt),
            path: { organization_id: organization.id, user_id: member.id },
          },
          body: {},
        }),
      );
    },
    outdates: ['member', 'audit'],
    onSaved: () => {
      showToast(t.reset.done(nameOf(member)));
      onClose();
    },
  });
}
