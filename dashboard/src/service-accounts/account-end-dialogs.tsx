import { useNavigate } from '@tanstack/react-router';
import { unwrap } from '../api/client.ts';
import { attemptHeaders, useChange } from '../app/changes/use-change.ts';
import { useScope } from '../app/scope/use-scope.ts';
import { useApi } from '../app/services.ts';
import { AlertDialog, TypedConfirmation } from '../ui/dialog.tsx';
import { ErrorState } from '../ui/error-state.tsx';
import { Stack } from '../ui/layout.tsx';
import { Notice } from '../ui/surface.tsx';
import { Time } from '../ui/time.tsx';
import { showToast } from '../ui/toast.tsx';
import { t } from './messages.ts';
import { type Account, OUTDATES } from './use-accounts.ts';
import { useDisabled } from './use-disabled.ts';

interface AccountDialogProps {
  readonly account: Account;
  readonly onClose: () => void;
}

/** Refuses all tokens of an account until somebody enables it again. */
export function DisableDialog({ account, onClose }: AccountDialogProps) {
  const change = useDisabled(account, onClose);
  return (
    <AlertDialog
      isOpen
      onClose={onClose}
      title={t.disabling.title(account.name)}
      action={t.disabling.action}
      onAction={() => void change.save(true)}
      isDanger
      isPending={change.state === 'saving'}
    >
      <Stack>
        {change.problem && <ErrorState problem={change.problem} />}
        <p>{t.disabling.text}</p>
      </Stack>
    </AlertDialog>
  );
}

/** Deletes an account for good, after saying what stops. */
export function DeleteDialog(props: AccountDialogProps & { readonly tokenCount: number }) {
  const { account, tokenCount, onClose } = props;
  const api = useApi();
  const { hrefTo } = useScope();
  const navigate = useNavigate();
  const change = useChange({
    send: (id: string, attempt) =>
      unwrap(
        api.DELETE('/api/v1/service-accounts/{service_account_id}', {
          params: { header: attemptHeaders(attempt), path: { service_account_id: id } },
        }),
      ),
    outdates: OUTDATES,
    onSaved: () => {
      showToast(t.deletion.done(account.name));
      void navigate({ href: hrefTo('settings/service-accounts') });
    },
  });
  return (
    <TypedConfirmation
      isOpen
      onClose={onClose}
      title={t.deletion.title(account.name)}
      expected={account.id.slice(-4)}
      action={t.deletion.action}
      onAction={() => void change.save(account.id)}
      isPending={change.state === 'saving'}
    >
      <Stack>
        {change.problem && <ErrorState problem={change.problem} />}
        {account.last_used_at !== null && (
          <Notice tone="warn" title={t.deletion.used}>
            <Time at={account.last_used_at} />
          </Notice>
        )}
        <p>{tokenCount === 0 ? t.deletion.noTokens : t.deletion.stops(tokenCount)}</p>
        <p>{t.deletion.stays}</p>
      </Stack>
    </TypedConfirmation>
  );
}
