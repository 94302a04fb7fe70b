import { useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { unwrap } from '../api/client.ts';
import type { Project } from '../api/types.ts';
import { attemptHeaders, useChange } from '../app/changes/use-change.ts';
import { projectHref, useScope } from '../app/scope/use-scope.ts';
import { useApi } from '../app/services.ts';
import { Button } from '../ui/button.tsx';
import { AlertDialog, Dialog } from '../ui/dialog.tsx';
import { ErrorState } from '../ui/error-state.tsx';
import { Stack } from '../ui/layout.tsx';
import { showToast } from '../ui/toast.tsx';
import { t } from './messages.ts';
import { NewProjectDialog } from './new-project-dialog.tsx';
import type { ProjectsSearch } from './projects-search.ts';
import { OUTDATES } from './use-archived-projects.ts';

/** The dialog that the address names. A person who may not do it sees none. */
export function ProjectDialogs(props: {
  readonly search: ProjectsSearch;
  readonly archived: readonly Project[] | undefined;
  readonly onArchived: () => void;
  readonly onClose: () => void;
}) {
  const { search, archived, onArchived, onClose } = props;
  const { projects, role } = useScope();
  const { do: what, about } = search;
  if (what === 'new')
    return role === 'viewer' ? null : <NewProjectDialog onArchived={onArchived} onClose={onClose} />;
  if (role !== 'admin') return null;
  const inUse = projects.find(({ key }) => key === about);
  if (what === 'archive' && inUse) return <ArchiveDialog project={inUse} onClose={onClose} />;
  const old = archived?.find(({ key }) => key === about);
  if (what === 'restore' && old) return <RestoreDialog project={old} onClose={onClose} />;
  if (what === 'restore' && archived === undefined) return null;
  return (
    <Dialog
      isOpen
      onClose={onClose}
      title={t.gone.title}
      foot={<Button onPress={onClose}>{t.creation.close}</Button>}
    >
      {t.gone.text}
    </Dialog>
  );
}

interface ProjectDialogProps {
  readonly project: Project;
  readonly onClose: () => void;
}

/** Archives or restores a project. */
function useArchiving() {
  const api = useApi();
  return async (project: Project, verb: 'archive' | 'restore', attempt = {}): Promise<void> => {
    const { id, key } = project;
    const header = attemptHeaders(attempt);
    if (verb === 'archive')
      await unwrap(
        api.DELETE('/api/v1/projects/{project_id}', {
          params: { header, path: { project_id: id }, query: { confirm_key: key } },
        }),
      );
    else
      await unwrap(
        api.POST('/api/v1/projects/{project_id}/restore', { params: { header, path: { project_id: id } } }),
      );
  };
}

/** Hides a project, after saying what stops. It can come back for 30 days. */
function ArchiveDialog({ project, onClose }: ProjectDialogProps) {
  const { organization, project: here, projects } = useScope();
  const navigate = useNavigate();
  const send = useArchiving();
  const undo = useChange({
    send: (verb: 'archive' | 'restore', attempt) => send(project, verb, attempt),
    outdates: OUTDATES,
  });
  const change = useChange({
    send: async (verb: 'archive' | 'restore', attempt) => {
      await send(project, verb, attempt);
      // The page needs a project that is still there before the list is read again.
      const next = projects.find(({ id }) => id !== project.id);
      if (project.id === here.id && next) {
        const place = { organization: organization.id, project: next.key };
        await navigate({ href: projectHref(place, 'settings/projects') });
      } else onClose();
    },
    outdates: OUTDATES,
    onSaved: () => showToast(t.archiving.done(project.name), () => void undo.save('restore')),
  });
  return (
    <AlertDialog
      isOpen
      onClose={onClose}
      title={t.archiving.title(project.name)}
      action={t.archiving.action}
      onAction={() => void change.save('archive')}
      isDanger
      isPending={change.state === 'saving'}
    >
      <Stack>
        {change.problem && <ErrorState problem={change.problem} />}
        <p>
          {t.archiving.holds(
            t.archiving.flags(project.flags_count),
            t.archiving.environments(project.environments_count),
          )}
        </p>
        <p>{t.archiving.stops}</p>
        <p>{t.archiving.back}</p>
      </Stack>
    </AlertDialog>
  );
}

/** Brings an archived project back. */
function RestoreDialog({ project, onClose }: ProjectDialogProps) {
  const queries = useQueryClient();
  const send = useArchiving();
  const change = useChange({
    send: async (verb: 'archive' | 'restore', attempt) => {
      await send(project, verb, attempt);
      await queries.invalidateQueries({ queryKey: ['project'] });
    },
    outdates: OUTDATES,
    onSaved: () => {
      showToast(t.restoring.done(project.name));
      onClose();
    },
  });
  return (
    <AlertDialog
      isOpen
      onClose={onClose}
      title={t.restoring.title(project.name)}
      action={t.restoring.action}
      onAction={() => void change.save('restore')}
      isPending={change.state === 'saving'}
    >
      <Stack>
        {change.problem && <ErrorState problem={change.problem} />}
        <p>{t.restoring.text}</p>
      </Stack>
    </AlertDialog>
  );
}
