import { unwrap } from '../api/client.ts';
import type { Member } from '../api/types.ts';
import { attemptHeaders, useChange } from '../app/changes/use-change.ts';
import { useScope } from '../app/scope/use-scope.ts';
import { useApi } from '../app/services.ts';
import { AlertDialog } from '../ui/dialog.tsx';
import { ErrorState } from '../ui/error-state.tsx';
import { Stack } from '../ui/layout.tsx';
import { Notice } from '../ui/surface.tsx';
import { showToast } from '../ui/toast.tsx';
import { t } from './messages.ts';
import { nameOf } from './use-members.ts';

/** Takes a person out of the organization, after saying what ends and what stays. */
export function RemoveDialog({ member, onClose }: { readonly member: Member; readonly onClose: () => void }) {
  const api = useApi();
  const { organization, me } = useScope();
  const name = nameOf(member);
  const change = useChange({
    send: (id: string, attempt) =>
      unwrap(
        api.DELETE('/api/v1/organizations/{organization_id}/members/{user_id}', {
          params: {
            header: attemptHeaders(attempt),
            path: { organization_id: organization.id, user_id: id },
          },
        }),
      ),
    outdates: ['member', 'audit'],
    onSaved: () => {
      showToast(t.removal.done(name));
      onClose();
    },
  });
  return (
    <AlertDialog
      isOpen
      onClose={onClose}
      title={t.removal.title(name)}
      action={t.removal.action}
      onAction={() => void change.save(member.id)}
      isDanger
      isPending={change.state === 'saving'}
    >
      <Stack>
        {change.problem && <ErrorState problem={change.problem} />}
        {member.id === me.id && (
          <Notice tone="warn" title={t.removal.ownTitle}>
            {t.removal.ownText}
          </Notice>
        )}
        <p>{t.removal.stops}</p>
        <p>{t.removal.stays}</p>
        <p>{t.removal.back}</p>
      </Stack>
    </AlertDialog>
  );
}
