import { useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { unwrap } from '../api/client.ts';
import { fieldErrors } from '../api/problem.ts';
import type { Environment, Project } from '../api/types.ts';
import { attemptHeaders, useChange } from '../app/changes/use-change.ts';
import { useDraft } from '../app/drafts/use-draft.ts';
import { keyOf } from '../app/key-of.ts';
import { projectHref, useScope } from '../app/scope/use-scope.ts';
import { useApi } from '../app/services.ts';
import { Button } from '../ui/button.tsx';
import { RadioGroup } from '../ui/choice.tsx';
import { Dialog } from '../ui/dialog.tsx';
import { ErrorState } from '../ui/error-state.tsx';
import { Form } from '../ui/form.tsx';
import { Notice } from '../ui/surface.tsx';
import { TextArea, TextField } from '../ui/text-field.tsx';
import { showToast } from '../ui/toast.tsx';
import { t } from './messages.ts';
import { OUTDATES } from './use-archived-projects.ts';

const FORM = 'new-project';

interface NewProject {
  readonly name: string;
  /** Empty: made from the name. */
  readonly key: string;
  readonly description: string;
  readonly environments: 'usual' | 'same' | 'none';
}
const EMPTY: NewProject = { name: '', key: '', description: '', environments: 'usual' };

/** Makes a project and opens it. */
export function NewProjectDialog(props: { readonly onArchived: () => void; readonly onClose: () => void }) {
  const { onArchived, onClose } = props;
  const stored = useDraft<NewProject>('project:new');
  const draft = stored.value ?? EMPTY;
  const change = useCreate(stored.clear);
  const { problem } = change;
  const whyNot = draft.name.trim() === '' ? t.creation.nameFirst : undefined;
  const isTakenByArchived = problem?.details['reason'] === 'archived';
  return (
    <Dialog
      isOpen
      isStubborn={stored.value !== undefined}
      onClose={onClose}
      title={t.creation.title}
      foot={
        <>
          <Button kind="main" type="submit" form={FORM} isPending={change.state === 'saving'} whyNot={whyNot}>
            {t.creation.make}
          </Button>
          <Button
            onPress={() => {
              stored.clear();
              onClose();
            }}
          >
            {t.creation.cancel}
          </Button>
        </>
      }
    >
      <Form
        id={FORM}
        errors={fieldErrors(problem)}
        onSubmit={() => {
          if (whyNot === undefined) void change.save(draft);
        }}
      >
        {isTakenByArchived ? (
          <Notice
            tone="warn"
            title={t.creation.takenByArchived}
            isUrgent
            actions={
              <Button isSmall onPress={onArchived}>
                {t.creation.toArchived}
              </Button>
            }
          >
            {t.creation.takenText}
          </Notice>
        ) : (
          problem && problem.fields.length === 0 && <ErrorState problem={problem} kept={t.kept} />
        )}
        <Fields draft={draft} onChange={(part) => stored.set({ ...draft, ...part })} />
      </Form>
    </Dialog>
  );
}

function Fields(props: {
  readonly draft: NewProject;
  readonly onChange: (part: Partial<NewProject>) => void;
}) {
  const { draft, onChange } = props;
  const { project } = useScope();
  return (
    <>
      <TextField
        label={t.creation.name}
        name="name"
        value={draft.name}
        onChange={(name) => onChange({ name })}
        maxLength={200}
        autoFocus
      />
      <TextField
        label={t.creation.key}
        help={t.creation.keyHelp}
        name="key"
        value={draft.key}
        placeholder={keyOf(draft.name)}
        onChange={(key) => onChange({ key })}
        maxLength={100}
        isMono
      />
      <TextArea
        label={t.creation.description}
        name="description"
        value={draft.description}
        onChange={(description) => onChange({ description })}
        maxLength={2000}
        rows={2}
      />
      <RadioGroup
        label={t.creation.environments}
        name="environments"
        choices={t.creation.choices(project.name)}
        value={draft.environments}
        onChange={(environments) => onChange({ environments })}
      />
    </>
  );
}

function useCreate(onSaved: () => void) {
  const api = useApi();
  const queries = useQueryClient();
  const navigate = useNavigate();
  const { organization, environments } = useScope();
  return useChange({
    send: async ({ name, key, description, environments: choice }: NewProject, attempt): Promise<Project> => {
      const params = { header: attemptHeaders(attempt) };
      const body = {
        name: name.trim(),
        key: key.trim() || keyOf(name),
        description,
        ...(choice !== 'usual' && { environments: choice === 'none' ? [] : environments.map(copyOf) }),
      };
      const { data } = await unwrap(api.POST('/api/v1/projects', { params, body }));
      // The page of the new project needs it in the list.
      await queries.invalidateQueries({ queryKey: ['project'] });
      return data as Project;
    },
    outdates: OUTDATES,
    onSaved: ({ key, name }) => {
      onSaved();
      showToast(t.creation.made(name));
      void navigate({ href: projectHref({ organization: organization.id, project: key }, '') });
    },
  });
}

function copyOf({ key, name, type, color, critical, confirm_changes, require_comment }: Environment) {
  return { key, name, type, color, critical, confirm_changes, require_comment };
}
