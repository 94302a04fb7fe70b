import { unwrap } from '../api/client.ts';
import { useChange } from '../app/changes/use-change.ts';
import { useApi } from '../app/services.ts';
import { AlertDialog } from '../ui/dialog.tsx';
import { ErrorState } from '../ui/error-state.tsx';
import { Stack } from '../ui/layout.tsx';
import { showToast } from '../ui/toast.tsx';
import { t } from './messages.ts';

const words = t.endingOthers;

/** Ends every session except this one. */
export function EndOthersDialog({
  count,
  onClose,
}: {
  readonly count: number;
  readonly onClose: () => void;
}) {
  const api = useApi();
  const change = useChange({
    send: async () =>
      (await unwrap(api.DELETE('/api/v1/auth/sessions'))).data as { readonly revoked: number },
    outdates: ['session', 'audit'],
    onSaved: ({ revoked }) => {
      showToast(words.done(revoked));
      onClose();
    },
  });
  return (
    <AlertDialog
      isOpen
      onClose={onClose}
      title={words.title(count)}
      action={words.action(count)}
      onAction={() => void change.save(undefined)}
      isPending={change.state === 'saving'}
      isDanger
    >
      <Stack>
        {change.problem && <ErrorState problem={change.problem} />}
        <p>{words.text}</p>
      </Stack>
    </AlertDialog>
  );
}
