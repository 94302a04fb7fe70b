import { unwrap } from '../api/client.ts';
import type { Environment } from '../api/types.ts';
import { attemptHeaders, useChange } from '../app/changes/use-change.ts';
import { useComment } from '../app/changes/use-comment.tsx';
import { useApi } from '../app/services.ts';
import { AlertDialog, TypedConfirmation } from '../ui/dialog.tsx';
import { ErrorState } from '../ui/error-state.tsx';
import { Stack } from '../ui/layout.tsx';
import { Notice } from '../ui/surface.tsx';
import { Time } from '../ui/time.tsx';
import { showToast } from '../ui/toast.tsx';
import { t } from './messages.ts';
import { OUTDATES, useActiveFreeze, useKeysInUse } from './use-environments.ts';

interface EndDialogProps {
  readonly environment: Environment;
  readonly onClose: () => void;
}

/** Archives or restores; the toast undoes it. */
function useArchiving({ environment, onClose }: EndDialogProps) {
  const api = useApi();
  const { id, name } = environment;
  const send = (verb: 'archive' | 'restore', attempt: Parameters<typeof attemptHeaders>[0]) => {
    const params = { header: attemptHeaders(attempt), path: { environment_id: id } };
    return verb === 'archive'
      ? unwrap(api.POST('/api/v1/environments/{environment_id}/archive', { params, body: {} }))
      : unwrap(api.POST('/api/v1/environments/{environment_id}/restore', { params, body: {} }));
  };
  const undo = useChange({ send, outdates: OUTDATES });
  return useChange({
    send,
    outdates: OUTDATES,
    onSaved: (_, verb) => {
      const isArchived = verb === 'archive';
      showToast(
        isArchived ? t.archiving.done(name) : t.restoring.done(name),
        () =>
          void undo.save(isArchived ? 'restore' : 'archive', {
            ...(environment.require_comment && { comment: t.form.undone }),
          }),
      );
      onClose();
    },
  });
}

/** Hides an environment, after saying which apps stop. */
export function ArchiveDialog({ environment, onClose }: EndDialogProps) {
  const reason = useComment({ isRequired: environment.require_comment });
  const change = useArchiving({ environment, onClose });
  const keys = useKeysInUse(environment.id);
  const freeze = useActiveFreeze(environment.id);
  return (
    <AlertDialog
      isOpen
      onClose={onClose}
      title={t.archiving.title(environment.name)}
      action={t.archiving.action}
      onAction={() => void change.save('archive', { comment: reason.comment })}
      isDanger
      isPending={change.state === 'saving'}
    >
      <Stack>
        {change.problem && <ErrorState problem={change.problem} />}
        {freeze && !change.problem && (
          <Notice tone="warn" icon="snow" title={t.archiving.frozenTitle(environment.name)}>
            {t.archiving.frozenText(freeze.name)}
          </Notice>
        )}
        {keys !== undefined &&
          (keys.count === 0 ? (
            <Notice title={t.archiving.noKeys} />
          ) : (
            <Notice tone="warn" title={t.archiving.keys(keys.count)}>
              {t.archiving.keysText}
              {keys.lastUsedAt !== undefined && (
                <>
                  {' '}
                  {t.archiving.used} <Time at={keys.lastUsedAt} />.
                </>
              )}
            </Notice>
          ))}
        <p>{t.archiving.text}</p>
        {reason.field}
      </Stack>
    </AlertDialog>
  );
}

/** Brings an archived environment back. */
export function RestoreDialog({ environment, onClose }: EndDialogProps) {
  const reason = useComment({ isRequired: environment.require_comment });
  const change = useArchiving({ environment, onClose });
  return (
    <AlertDialog
      isOpen
      onClose={onClose}
      title={t.restoring.title(environment.name)}
      action={t.restoring.action}
      onAction={() => void change.save('restore', { comment: reason.comment })}
      isPending={change.state === 'saving'}
    >
      <Stack>
        {change.problem && <ErrorState problem={change.problem} />}
        <p>{t.restoring.text}</p>
        {reason.field}
      </Stack>
    </AlertDialog>
  );
}

/** Deletes an archived environment for good. */
export function DeleteDialog({ environment, onClose }: EndDialogProps) {
  const api = useApi();
  const { id, key, name } = environment;
  const change = useChange({
    send: (confirm_key: string, attempt) =>
      unwrap(
        api.DELETE('/api/v1/environments/{environment_id}', {
          params: {
            header: attemptHeaders(attempt),
            path: { environment_id: id },
            query: { confirm_key },
          },
        }),
      ),
    outdates: OUTDATES,
    onSaved: () => {
      showToast(t.deletion.done(name));
      onClose();
    },
  });
  return (
    <TypedConfirmation
      isOpen
      onClose={onClose}
      title={t.deletion.title(name)}
      expected={key}
      action={t.deletion.action}
      onAction={() =>
        void change.save(key, { ...(environment.require_comment && { comment: t.deletion.done(name) }) })
      }
      isPending={change.state === 'saving'}
    >
      <Stack>
        {change.problem && <ErrorState problem={change.problem} />}
        <p>{t.deletion.text}</p>
      </Stack>
    </TypedConfirmation>
  );
}
