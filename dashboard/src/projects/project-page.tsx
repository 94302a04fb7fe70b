import { useQueryClient } from '@tanstack/react-query';
import { unwrap } from '../api/client.ts';
import { fieldErrors } from '../api/problem.ts';
import { attemptHeaders, useChange } from '../app/changes/use-change.ts';
import { useDraft } from '../app/drafts/use-draft.ts';
import { usePage } from '../app/navigation/use-page.ts';
import { useScope } from '../app/scope/use-scope.ts';
import { useApi } from '../app/services.ts';
import type { DiffLine } from '../ui/diff.tsx';
import { ErrorState } from '../ui/error-state.tsx';
import { Form } from '../ui/form.tsx';
import { Note, Stack } from '../ui/layout.tsx';
import { SaveBar } from '../ui/save-bar.tsx';
import { Notice, PageHeader } from '../ui/surface.tsx';
import { showToast } from '../ui/toast.tsx';
import { t } from './messages.ts';
import {
  bodyOfProject,
  changedFields,
  fieldOfPath,
  fieldsOf,
  type ProjectDraft,
  type ProjectFields,
} from './project-draft.ts';
import { AboutCard, NewFlagsCard, StaleCard } from './project-fields.tsx';

/** The name of the project, and what holds for its flags. */
export function ProjectPage() {
  const { project, role, hrefTo } = useScope();
  usePage(t.title, [{ label: t.settings, href: hrefTo('settings') }]);
  const { saved, fields, changes, draft, change, save } = useProjectEdit();
  const isDisabled = role !== 'admin';
  const edit = (part: ProjectDraft): void => draft.set({ ...changes, ...part });
  const undo = ({ id }: DiffLine): void => {
    const { [id as keyof ProjectFields]: _, ...others } = changes;
    draft.set(others);
  };
  const errors = Object.fromEntries(
    Object.entries(fieldErrors(change.problem)).map(([path, message]) => [fieldOfPath(path), message]),
  );
  const cards = { fields, onChange: edit, isDisabled };
  return (
    <>
      <PageHeader
        title={t.title}
        intro={t.intro(project.key)}
        {...(isDisabled && { meta: <Note tone="faint">{t.onlyAdmins}</Note> })}
      />
      <Form onSubmit={save} errors={errors}>
        <Stack gap="far">
          <AboutCard {...cards} />
          <NewFlagsCard {...cards} />
          <StaleCard {...cards} />
        </Stack>
      </Form>
      <SaveBar
        lines={linesOfFields(saved, changes)}
        onUndo={undo}
        onDiscard={draft.clear}
        onSave={save}
        isSaving={change.state === 'saving'}
        whyNot={isDisabled ? t.onlyAdmins : fields.name.trim() === '' ? t.nameFirst : undefined}
      >
        {change.state === 'conflict' ? (
          <Notice tone="warn" title={t.conflictTitle} isUrgent>
            {t.conflict}
          </Notice>
        ) : (
          change.problem && <ErrorState problem={change.problem} kept={t.kept} />
        )}
      </SaveBar>
    </>
  );
}

/** The saved project with the edit on top, and how it is saved. */
function useProjectEdit() {
  const api = useApi();
  const queries = useQueryClient();
  const { project } = useScope();
  const draft = useDraft<ProjectDraft>(`project:${project.id}`);
  const saved = fieldsOf(project);
  const changes = changedFields(saved, draft.value ?? {});
  const change = useChange({
    send: (fields: ProjectDraft, attempt) =>
      unwrap(
        api.PATCH('/api/v1/projects/{project_id}', {
          params: { header: attemptHeaders(attempt), path: { project_id: project.id } },
          body: bodyOfProject(fields),
        }),
      ),
    outdates: ['project', 'audit'],
  });
  const save = async (): Promise<void> => {
    if (Object.keys(changes).length === 0) return;
    const before = Object.fromEntries(
      Object.keys(changes).map((field) => [field, saved[field as keyof ProjectFields]]),
    );
    const answer = await change.save(changes, { tag: `"${project.revision}"` });
    // After a conflict the page needs what the others saved.
    await queries.invalidateQueries({ queryKey: ['project'] });
    if (answer === undefined) return;
    draft.clear();
    showToast(t.saved, () => void change.save(before));
  };
  return { saved, fields: { ...saved, ...changes }, changes, draft, change, save: () => void save() };
}

function linesOfFields(saved: ProjectFields, changes: ProjectDraft): readonly DiffLine[] {
  return (Object.keys(changes) as (keyof ProjectFields)[]).map((field) => ({
    id: field,
    what: t.fields[field],
    from: words(field, saved[field]),
    to: words(field, changes[field]),
  }));
}

function words(field: keyof ProjectFields, value: unknown): string | undefined {
  if (field === 'default_classification')
    return t.classifications[(value ?? 'none') as keyof typeof t.classifications];
  if (typeof value === 'boolean') return value ? t.yes : t.no;
  if (typeof value === 'number') return `${value} ${t.days}`;
  if (field === 'auto_archive_after_days') return t.never;
  return typeof value === 'string' && value !== '' ? value : undefined;
}
