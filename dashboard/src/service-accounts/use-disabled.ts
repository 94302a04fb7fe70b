import { unwrap } from '../api/client.ts';
import { attemptHeaders, useChange } from '../app/changes/use-change.ts';
import { useApi } from '../app/services.ts';
import { showToast } from '../ui/toast.tsx';
import { t } from './messages.ts';
import { type Account, OUTDATES } from './use-accounts.ts';

/** Disables an account with all its tokens, or lets them work again. */
export function useDisabled({ id, name }: Account, onDone: () => void = () => undefined) {
  const api = useApi();
  return useChange({
    send: (disabled: boolean, attempt) =>
      unwrap(
        api.PATCH('/api/v1/service-accounts/{service_account_id}', {
          params: { header: attemptHeaders(attempt), path: { service_account_id: id } },
          body: { disabled },
        }),
      ),
    outdates: OUTDATES,
    onSaved: (_, disabled) => {
      showToast(disabled ? t.disabling.done(name) : t.enabled(name));
      onDone();
    },
  });
}
