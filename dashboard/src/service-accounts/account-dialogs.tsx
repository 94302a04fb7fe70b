import { Button } from '../ui/button.tsx';
import { Dialog } from '../ui/dialog.tsx';
import { DeleteDialog, DisableDialog } from './account-end-dialogs.tsx';
import type { AccountSearch } from './account-search.ts';
import { EditDialog } from './edit-dialog.tsx';
import { t } from './messages.ts';
import { NewTokenDialog, RevokeDialog, RotateDialog, SecretDialog } from './token-dialogs.tsx';
import type { Account, MadeToken, Token } from './use-accounts.ts';

/** The dialog that the address names, or the token that was just made. */
export function AccountDialogs(props: {
  readonly account: Account;
  readonly tokens: readonly Token[] | undefined;
  readonly search: AccountSearch;
  readonly made: MadeToken | undefined;
  readonly onMade: (made: MadeToken | undefined) => void;
  readonly onClose: () => void;
}) {
  const { account, tokens, search, made, onMade, onClose } = props;
  if (made !== undefined) return <SecretDialog made={made} onClose={() => onMade(undefined)} />;
  const what = search.do;
  const onSent = (token: MadeToken): void => {
    onMade(token);
    onClose();
  };
  if (what === 'edit') return <EditDialog account={account} onClose={onClose} />;
  if (what === 'disable') return <DisableDialog account={account} onClose={onClose} />;
  if (what === 'delete')
    return <DeleteDialog account={account} tokenCount={tokens?.length ?? 0} onClose={onClose} />;
  if (what === 'token') return <NewTokenDialog account={account} onMade={onSent} onClose={onClose} />;
  const token = tokens?.find(({ id }) => id === search.token);
  if (tokens === undefined) return null;
  if (token === undefined)
    return (
      <Dialog
        isOpen
        onClose={onClose}
        title={t.tokens.gone}
        foot={<Button onPress={onClose}>{t.close}</Button>}
      >
        {t.tokens.goneText}
      </Dialog>
    );
  const about = { account, token, onClose };
  return what === 'rotate' ? <RotateDialog {...about} onMade={onSent} /> : <RevokeDialog {...about} />;
}
