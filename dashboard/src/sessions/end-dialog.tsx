import { unwrap } from '../api/client.ts';
import { useChange } from '../app/changes/use-change.ts';
import { useApi } from '../app/services.ts';
import { AlertDialog } from '../ui/dialog.tsx';
import { ErrorState } from '../ui/error-state.tsx';
import { Stack } from '../ui/layout.tsx';
import { showToast } from '../ui/toast.tsx';
import { deviceWords } from './device-words.ts';
import { t } from './messages.ts';
import type { Session } from './use-sessions.ts';

/** Ends one other session. One that has ended meanwhile counts as ended. */
export function EndDialog({ session, onClose }: { readonly session: Session; readonly onClose: () => void }) {
  const api = useApi();
  const change = useChange({
    send: async (id: string) => {
      const path = { session_id: id };
      const { error, response } = await api.DELETE('/api/v1/auth/sessions/{session_id}', {
        params: { path },
      });
      if (response.status === 404) return t.ending.gone;
      await unwrap(Promise.resolve({ error, response }));
      return t.ending.done;
    },
    outdates: ['session', 'audit'],
    onSaved: (words) => {
      showToast(words);
      onClose();
    },
  });
  return (
    <AlertDialog
      isOpen
      onClose={onClose}
      title={t.ending.title(deviceWords(session.user_agent))}
      action={t.ending.action}
      onAction={() => void change.save(session.id)}
      isPending={change.state === 'saving'}
      isDanger
    >
      <Stack>
        {change.problem && <ErrorState problem={change.problem} />}
        <p>{t.ending.text}</p>
      </Stack>
    </AlertDialog>
  );
}
