import { unwrap } from '../api/client.ts';
import { fieldErrors } from '../api/problem.ts';
import type { Environment } from '../api/types.ts';
import { attemptHeaders, useChange } from '../app/changes/use-change.ts';
import { useDraft } from '../app/drafts/use-draft.ts';
import { keyOf } from '../app/key-of.ts';
import { useScope } from '../app/scope/use-scope.ts';
import { useApi } from '../app/services.ts';
import { EnvironmentMark } from '../ui/badge.tsx';
import { Button } from '../ui/button.tsx';
import { Checkbox } from '../ui/choice.tsx';
import { Dialog } from '../ui/dialog.tsx';
import { ErrorState } from '../ui/error-state.tsx';
import { Form } from '../ui/form.tsx';
import { Note } from '../ui/layout.tsx';
import { Select } from '../ui/select.tsx';
import { TextField } from '../ui/text-field.tsx';
import { showToast } from '../ui/toast.tsx';
import { bodyOfNew, type NewEnvironment, newEnvironment } from './environment-draft.ts';
import { EnvironmentSettings } from './environment-fields.tsx';
import { t } from './messages.ts';
import { OUTDATES } from './use-environments.ts';

const FORM = 'new-environment';
const NOTHING = 'nothing';

/** Makes an environment, from scratch or as a copy of another. */
export function NewDialog(props: { readonly source: Environment | undefined; readonly onClose: () => void }) {
  const { source, onClose } = props;
  const { project } = useScope();
  const stored = useDraft<NewEnvironment>(`environment:new:${project.id}:${source?.id ?? ''}`);
  const draft = stored.value ?? newEnvironment(source);
  const change = useCreate(() => {
    stored.clear();
    onClose();
  });
  const { problem } = change;
  const errors = fieldErrors(problem);
  const whyNot = draft.name.trim() === '' ? t.form.nameFirst : undefined;
  return (
    <Dialog
      isOpen
      isStubborn={stored.value !== undefined}
      onClose={onClose}
      title={t.form.newTitle}
      foot={
        <>
          <Button kind="main" type="submit" form={FORM} isPending={change.state === 'saving'} whyNot={whyNot}>
            {t.form.make}
          </Button>
          <Button
            onPress={() => {
              stored.clear();
              onClose();
            }}
          >
            {t.cancel}
          </Button>
        </>
      }
    >
      <Form
        id={FORM}
        errors={errors}
        onSubmit={() => {
          if (whyNot === undefined) void change.save(draft);
        }}
      >
        {problem && problem.fields.length === 0 && <ErrorState problem={problem} kept={t.kept} />}
        <NewFields draft={draft} onChange={(part) => stored.set({ ...draft, ...part })} errors={errors} />
      </Form>
    </Dialog>
  );
}

function NewFields(props: {
  readonly draft: NewEnvironment;
  readonly onChange: (part: Partial<NewEnvironment>) => void;
  readonly errors: Readonly<Record<string, string>>;
}) {
  const { draft, onChange, errors } = props;
  const { environments } = useScope();
  const start = (id: string): void => {
    const { name, key } = draft;
    onChange({ ...newEnvironment(environments.find((one) => one.id === id)), name, key });
  };
  return (
    <>
      <TextField
        label={t.form.name}
        name="name"
        value={draft.name}
        onChange={(name) => onChange({ name })}
        maxLength={200}
        autoFocus
      />
      <TextField
        label={t.form.key}
        help={t.form.keyHelp}
        name="key"
        value={draft.key}
        placeholder={keyOf(draft.name)}
        onChange={(key) => onChange({ key })}
        maxLength={100}
        isMono
      />
      {environments.length > 0 && (
        <Select
          label={t.form.start}
          value={draft.sourceId ?? NOTHING}
          onChange={start}
          options={[
            { id: NOTHING, label: t.form.empty },
            ...environments.map(({ id, name, type }) => ({
              id,
              label: t.form.copyOf(name),
              mark: <EnvironmentMark type={type} />,
            })),
          ]}
        />
      )}
      {draft.sourceId !== undefined && (
        <>
          <Checkbox
            label={t.form.copyFlags}
            note={t.form.copyFlagsNote}
            isSelected={draft.copiesFlags}
            onChange={(copiesFlags) => onChange({ copiesFlags })}
          />
          <Note tone="faint" isSmall>
            {t.form.copied}
          </Note>
        </>
      )}
      <EnvironmentSettings fields={draft} onChange={onChange} errors={errors} isNew />
    </>
  );
}

function useCreate(onDone: () => void) {
  const api = useApi();
  const { project } = useScope();
  return useChange({
    send: (draft: NewEnvironment, attempt) => {
      const header = attemptHeaders(attempt);
      const body = bodyOfNew(draft);
      if (draft.sourceId === undefined)
        return unwrap(
          api.POST('/api/v1/projects/{project_id}/environments', {
            params: { header, path: { project_id: project.id } },
            body,
          }),
        );
      return unwrap(
        api.POST('/api/v1/environments/{environment_id}/clone', {
          params: { header, path: { environment_id: draft.sourceId } },
          body: { ...body, include: draft.copiesFlags ? ['flags'] : [] },
        }),
      );
    },
    outdates: OUTDATES,
    onSaved: (_, { name }) => {
      showToast(t.form.made(name.trim()));
      onDone();
    },
  });
}
