import { unwrap } from '../api/client.ts';
import { attemptHeaders, useChange } from '../app/changes/use-change.ts';
import { useApi } from '../app/services.ts';
import { TypedConfirmation } from '../ui/dialog.tsx';
import { ErrorState } from '../ui/error-state.tsx';
import { Stack } from '../ui/layout.tsx';
import { Notice } from '../ui/surface.tsx';
import { Time } from '../ui/time.tsx';
import { showToast } from '../ui/toast.tsx';
import { t } from './messages.ts';
import type { ApiKey } from './use-api-keys.ts';

/** Ends a key for good, after saying what stops. The last four characters confirm it: names can be hard to type. */
export function RevokeDialog({ apiKey, onClose }: { readonly apiKey: ApiKey; readonly onClose: () => void }) {
  const api = useApi();
  const change = useChange({
    send: (id: string, attempt) =>
      unwrap(
        api.DELETE('/api/v1/api-keys/{key_id}', {
          params: { header: attemptHeaders(attempt), path: { key_id: id } },
        }),
      ),
    outdates: ['api_key', 'audit'],
    onSaved: () => {
      showToast(t.revocation.done(apiKey.name));
      onClose();
    },
  });
  const { last_used_at: used, last_four: lastFour } = apiKey;
  return (
    <TypedConfirmation
      isOpen
      onClose={onClose}
      title={t.revocation.title(apiKey.name)}
      expected={lastFour}
      action={t.revocation.action}
      onAction={() => void change.save(apiKey.id)}
      isPending={change.state === 'saving'}
    >
      <Stack>
        {change.problem && <ErrorState problem={change.problem} />}
        {used === null ? (
          <Notice title={t.revocation.notUsed} />
        ) : (
          <Notice tone="warn" title={t.revocation.stillUsed}>
            {t.revocation.used} <Time at={used} />.
          </Notice>
        )}
        <p>{used === null ? t.revocation.forGood : t.revocation.text}</p>
      </Stack>
    </TypedConfirmation>
  );
}
