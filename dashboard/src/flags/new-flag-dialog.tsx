import { useNavigate } from '@tanstack/react-router';
import { unwrap } from '../api/client.ts';
import { fieldErrors, toProblem } from '../api/problem.ts';
import { attemptHeaders, useChange } from '../app/changes/use-change.ts';
import { useDraft } from '../app/drafts/use-draft.ts';
import { keyOf } from '../app/key-of.ts';
import { useScope } from '../app/scope/use-scope.ts';
import { useApi } from '../app/services.ts';
import { Button } from '../ui/button.tsx';
import { Checkbox, RadioGroup } from '../ui/choice.tsx';
import { Dialog } from '../ui/dialog.tsx';
import { ErrorState } from '../ui/error-state.tsx';
import { Form } from '../ui/form.tsx';
import { Select } from '../ui/select.tsx';
import { TextArea, TextField } from '../ui/text-field.tsx';
import { showToast } from '../ui/toast.tsx';
import { KINDS, TYPES } from './flags-search.ts';
import { t } from './messages.ts';
import { bodyOf, isValue, type NewFlag } from './new-flag.ts';
import { NewFlagValues } from './new-flag-values.tsx';

const FORM = 'new-flag';
const EMPTY: NewFlag = {
  name: '',
  key: '',
  type: 'boolean',
  kind: 'release',
  description: '',
  isForClients: false,
};

/** Makes a flag, switched off everywhere, and leads to its page. What is typed survives a reload. */
export function NewFlagDialog({ onClose }: { readonly onClose: () => void }) {
  const draft = useDraft<NewFlag>('flag.new');
  const flag = draft.value ?? EMPTY;
  const change = useNewFlag(() => draft.clear());
  const problem = change.problem && toProblem(change.problem);
  const set = (part: Partial<NewFlag>) => draft.set({ ...flag, ...part });
  return (
    <Dialog
      isOpen
      isStubborn={flag !== EMPTY}
      onClose={onClose}
      title={t.form.title}
      intro={t.form.intro}
      foot={
        <>
          <Button
            kind="main"
            type="submit"
            form={FORM}
            isPending={change.state === 'saving'}
            whyNot={whyNot(flag)}
          >
            {t.form.create}
          </Button>
          <Button onPress={onClose}>{t.form.cancel}</Button>
        </>
      }
    >
      <Form id={FORM} onSubmit={() => void change.save(bodyOf(flag))} errors={fieldErrors(problem)}>
        {problem && problem.fields.length === 0 && <ErrorState problem={problem} />}
        <Fields flag={flag} onChange={set} />
      </Form>
    </Dialog>
  );
}

function whyNot({ name, type, values = [] }: NewFlag): string | undefined {
  if (name.trim() === '') return t.form.nameFirst;
  return values.every((text) => isValue(type, text)) ? undefined : t.form.notANumber;
}

function Fields(props: { readonly flag: NewFlag; readonly onChange: (part: Partial<NewFlag>) => void }) {
  const { flag, onChange } = props;
  return (
    <>
      <TextField
        label={t.form.name}
        name="name"
        placeholder={t.form.namePlaceholder}
        value={flag.name}
        onChange={(name) => onChange({ name })}
        maxLength={200}
        isRequired
        autoFocus
      />
      <TextField
        label={t.form.key}
        name="key"
        help={t.form.keyHelp}
        placeholder={keyOf(flag.name)}
        value={flag.key}
        onChange={(key) => onChange({ key })}
        maxLength={100}
        isMono
      />
      <RadioGroup
        label={t.form.type}
        name="flag_type"
        choices={TYPES.map((id) => ({ id, label: t.type[id], note: t.form.typeNote[id] }))}
        value={flag.type}
        onChange={(type) => onChange({ type })}
      />
      {(flag.type === 'string' || flag.type === 'number') && (
        <NewFlagValues
          type={flag.type}
          values={flag.values ?? []}
          onChange={(values) => onChange({ values })}
        />
      )}
      <Select
        label={t.form.kind}
        name="classification"
        options={KINDS.map((id) => ({ id, label: t.kind[id], note: t.form.kindNote[id] }))}
        value={flag.kind}
        onChange={(kind) => onChange({ kind })}
      />
      <TextArea
        label={t.form.description}
        name="description"
        value={flag.description}
        onChange={(description) => onChange({ description })}
        maxLength={2_000}
        rows={2}
      />
      <Checkbox
        label={t.form.client}
        note={t.form.clientNote}
        isSelected={flag.isForClients}
        onChange={(isForClients) => onChange({ isForClients })}
      />
    </>
  );
}

function useNewFlag(onMade: () => void) {
  const api = useApi();
  const navigate = useNavigate();
  const { environments, environment, hrefTo } = useScope();
  return useChange({
    send: (body: ReturnType<typeof bodyOf>, attempt) =>
      unwrap(
        api.POST('/api/v1/flags', {
          params: {
            query: {
              environment_id: (environment ?? environments[0])!.id,
              dry_run: attempt.dryRun ?? false,
            },
            header: attemptHeaders(attempt),
          },
          body,
        }),
      ),
    outdates: ['flag', 'audit'],
    onSaved: (_, { key, name }) => {
      onMade();
      showToast(t.form.made(name));
      void navigate({ href: hrefTo(`flags/${key}`) });
    },
  });
}
