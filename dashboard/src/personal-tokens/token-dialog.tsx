import { useState } from 'react';
import { unwrap } from '../api/client.ts';
import { fieldErrors } from '../api/problem.ts';
import { useChange } from '../app/changes/use-change.ts';
import { useApi } from '../app/services.ts';
import { Button } from '../ui/button.tsx';
import { RadioGroup } from '../ui/choice.tsx';
import { Dialog } from '../ui/dialog.tsx';
import { ErrorState } from '../ui/error-state.tsx';
import { Form } from '../ui/form.tsx';
import { Select } from '../ui/select.tsx';
import { TextField } from '../ui/text-field.tsx';
import { t } from './messages.ts';
import type { MadeToken, Scope } from './use-tokens.ts';

const FORM = 'personal-token';
const DAY_MS = 86_400_000;
const LIFETIMES = ['30', '90', '180', '365'] as const;
type Lifetime = (typeof LIFETIMES)[number];

/** Makes a token: a name, what it may, and when it ends. */
export function TokenDialog(props: {
  readonly onClose: () => void;
  readonly onMade: (token: MadeToken) => void;
}) {
  const { onClose, onMade } = props;
  const api = useApi();
  const [name, setName] = useState('');
  const [scope, setScope] = useState<Scope>('read');
  const [days, setDays] = useState<Lifetime>('90');
  const change = useChange({
    send: async () => {
      const expires_at = new Date(Date.now() + Number(days) * DAY_MS).toISOString();
      const body = { name: name.trim(), scopes: [scope], expires_at };
      return (await unwrap(api.POST('/api/v1/auth/tokens', { body }))).data as MadeToken;
    },
    outdates: ['personal_token', 'audit'],
    onSaved: (token) => {
      onMade(token);
      onClose();
    },
  });
  const { problem } = change;
  const isNamed = name.trim() !== '';
  return (
    <Dialog
      isOpen
      isStubborn={isNamed}
      onClose={onClose}
      title={t.form.title}
      foot={
        <>
          <Button
            kind="main"
            type="submit"
            form={FORM}
            isPending={change.state === 'saving'}
            whyNot={isNamed ? undefined : t.form.nameFirst}
          >
            {t.form.make}
          </Button>
          <Button onPress={onClose}>{t.form.cancel}</Button>
        </>
      }
    >
      <Form id={FORM} onSubmit={() => void (isNamed && change.save(undefined))} errors={fieldErrors(problem)}>
        {problem && problem.fields.length === 0 && <ErrorState problem={problem} />}
        <TextField
          label={t.form.name}
          help={t.form.nameHelp}
          name="name"
          value={name}
          onChange={setName}
          maxLength={200}
          isRequired
          autoFocus
        />
        <RadioGroup label={t.form.scope} choices={t.form.scopes} value={scope} onChange={setScope} />
        <Select
          label={t.form.expires}
          name="expires_at"
          options={LIFETIMES.map((id) => ({ id, label: t.form.lifetimes[id] }))}
          value={days}
          onChange={setDays}
        />
      </Form>
    </Dialog>
  );
}
