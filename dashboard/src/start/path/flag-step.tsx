import { useState } from 'react';
import { unwrap } from '../../api/client.ts';
import { fieldErrors } from '../../api/problem.ts';
import type { Flag } from '../../api/types.ts';
import { useChange } from '../../app/changes/use-change.ts';
import { useApi } from '../../app/services.ts';
import { Button } from '../../ui/button.tsx';
import { Checkbox } from '../../ui/choice.tsx';
import { ErrorState } from '../../ui/error-state.tsx';
import { Form } from '../../ui/form.tsx';
import { Line } from '../../ui/layout.tsx';
import { Select } from '../../ui/select.tsx';
import { TextField } from '../../ui/text-field.tsx';
import type { ProjectFlag } from '../use-needs.ts';
import { t } from './messages.ts';
import styles from './path.module.css';
import type { PathFacts } from './use-path.ts';

/** Makes the first flag with one field, or picks one of those that exist. */
export function FlagStep(props: {
  readonly facts: PathFacts;
  readonly flag: ProjectFlag | undefined;
  readonly isDone: boolean;
  readonly onChoose: (key: string) => void;
}) {
  const { facts, flag, isDone, onChoose } = props;
  if (!isDone) return <NewFlag facts={facts} />;
  return (
    <div className={styles.choose}>
      <Select
        label={t.flag.choose}
        options={facts.flags.map(({ key, name }) => ({ id: key, label: name, note: key }))}
        value={flag?.key}
        onChange={onChoose}
      />
    </div>
  );
}

function NewFlag({ facts: { environment } }: { readonly facts: PathFacts }) {
  const [name, setName] = useState<string>(t.flag.example);
  const [isForClients, setForClients] = useState(true);
  const change = useNewFlag(environment.id);
  const key = keyOf(name);
  const { problem } = change;
  return (
    <Form
      onSubmit={() => void change.save({ name: name.trim(), key, client_side: isForClients })}
      errors={fieldErrors(problem)}
    >
      {problem && problem.fields.length === 0 && <ErrorState problem={problem} kept={t.flag.kept} />}
      <TextField
        label={t.flag.name}
        name="name"
        help={key === '' ? t.flag.help : t.flag.inCode(key)}
        value={name}
        onChange={setName}
        maxLength={200}
      />
      <Checkbox
        label={t.flag.clients}
        note={t.flag.clientsNote}
        isSelected={isForClients}
        onChange={setForClients}
      />
      <Line>
        <Button
          kind="main"
          type="submit"
          isPending={change.state === 'saving'}
          whyNot={key === '' ? t.flag.nameFirst : undefined}
        >
          {t.flag.submit}
        </Button>
      </Line>
    </Form>
  );
}

function useNewFlag(environmentId: string) {
  const api = useApi();
  const query = { environment_id: environmentId };
  return useChange({
    send: async (body: { readonly name: string; readonly key: string; readonly client_side: boolean }) => {
      const { data } = await unwrap(
        api.POST('/api/v1/flags', {
          params: { query },
          body: {
            ...body,
            flag_type: 'boolean',
            classification: 'release',
            default_variation: 'off',
            variations: [
              { key: 'on', name: t.flag.on, value: true },
              { key: 'off', name: t.flag.off, value: false },
            ],
          },
        }),
      );
      // Without a rule, a switch would change nothing that an app can see.
      const rule = { name: '', conditions: [], variation: 'on' };
      await unwrap(
        api.PATCH('/api/v1/flags/{flag_id}', {
          params: { path: { flag_id: (data as Flag).id }, query },
          body: { instructions: [{ op: 'add_rule', rule }] },
        }),
      );
    },
    outdates: ['flag', 'audit'],
  });
}

/** The key that code uses: lower-case letters and digits with hyphens between them. */
function keyOf(name: string): string {
  const plain = name.normalize('NFKD').toLowerCase();
  const words = plain.replace(/[^a-z0-9]+/g, '-').replace(/^-+|-+$/g, '');
  return words.slice(0, 60).replace(/-+$/, '');
}
