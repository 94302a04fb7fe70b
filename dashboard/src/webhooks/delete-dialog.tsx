import { useNavigate } from '@tanstack/react-router';
import { unwrap } from '../api/client.ts';
import type { Webhook } from '../api/types.ts';
import { attemptHeaders, useChange } from '../app/changes/use-change.ts';
import { useScope } from '../app/scope/use-scope.ts';
import { useApi } from '../app/services.ts';
import { TypedConfirmation } from '../ui/dialog.tsx';
import { ErrorState } from '../ui/error-state.tsx';
import { showToast } from '../ui/toast.tsx';
import { t } from './messages.ts';
import { hostOf, nameOf } from './webhook-words.ts';

/** A webhook cannot come back: its host is typed. */
export function DeleteDialog(props: { readonly webhook: Webhook; readonly onClose: () => void }) {
  const { webhook, onClose } = props;
  const api = useApi();
  const { hrefTo } = useScope();
  const navigate = useNavigate();
  const name = nameOf(webhook);
  const change = useChange({
    send: (_: undefined, attempt) =>
      unwrap(
        api.DELETE('/api/v1/webhooks/{webhook_id}', {
          params: {
            path: { webhook_id: webhook.id },
            header: attemptHeaders(attempt),
            query: { dry_run: attempt.dryRun ?? false },
          },
        }),
      ),
    outdates: ['audit'],
    onSaved: () => {
      showToast(t.deletion.done(name));
      void navigate({ to: hrefTo('webhooks') });
    },
  });
  return (
    <TypedConfirmation
      isOpen
      onClose={onClose}
      title={t.deletion.title(name)}
      expected={hostOf(webhook.url)}
      action={t.deletion.action}
      onAction={() => void change.save(undefined)}
      isPending={change.state === 'saving'}
    >
      <p>{t.deletion.text}</p>
      {change.problem && <ErrorState problem={change.problem} />}
    </TypedConfirmation>
  );
}
