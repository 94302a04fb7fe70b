import { unwrap } from '../api/client.ts';
import type { Webhook } from '../api/types.ts';
import { attemptHeaders, useChange } from '../app/changes/use-change.ts';
import { useApi } from '../app/services.ts';
import { showToast } from '../ui/toast.tsx';
import { t } from './messages.ts';
import { nameOf } from './webhook-words.ts';

const OUTDATES = ['webhook', 'audit'];

/** Sends a test now. It writes no audit entry, and works for a disabled webhook too. */
export function useTest(webhook: Webhook) {
  const api = useApi();
  return useChange({
    send: (_: undefined) =>
      unwrap(
        api.POST('/api/v1/webhooks/{webhook_id}/test', { params: { path: { webhook_id: webhook.id } } }),
      ),
    outdates: ['webhook'],
  });
}

export function useEnable(webhook: Webhook) {
  const api = useApi();
  return useChange({
    send: (_: undefined, attempt) =>
      unwrap(
        api.POST('/api/v1/webhooks/{webhook_id}/enable', {
          params: {
            path: { webhook_id: webhook.id },
            header: attemptHeaders(attempt),
            query: { dry_run: attempt.dryRun ?? false },
          },
        }),
      ),
    outdates: OUTDATES,
    onSaved: () => showToast(t.enabled(nameOf(webhook))),
  });
}

export function useRedeliver() {
  const api = useApi();
  return useChange({
    send: (id: string, attempt) =>
      unwrap(
        api.POST('/api/v1/webhook-messages/{message_id}/redeliver', {
          params: {
            path: { message_id: id },
            header: attemptHeaders(attempt),
            query: { dry_run: attempt.dryRun ?? false },
          },
        }),
      ),
    outdates: OUTDATES,
    onSaved: () => showToast(t.message.redelivered),
  });
}
