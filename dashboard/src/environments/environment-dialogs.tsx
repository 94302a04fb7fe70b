import type { Environment } from '../api/types.ts';
import { useScope } from '../app/scope/use-scope.ts';
import { Button } from '../ui/button.tsx';
import { Dialog } from '../ui/dialog.tsx';
import { EditDialog } from './edit-dialog.tsx';
import { ArchiveDialog, DeleteDialog, RestoreDialog } from './end-dialogs.tsx';
import type { EnvironmentSearch } from './environment-search.ts';
import { t } from './messages.ts';
import { NewDialog } from './new-dialog.tsx';

/** The dialog that the address names. A person who may not do it sees none. */
export function EnvironmentDialogs(props: {
  readonly search: EnvironmentSearch;
  readonly archived: readonly Environment[] | undefined;
  /** Why the person cannot make an environment. */
  readonly whyNotNew: string | undefined;
  readonly onClose: () => void;
}) {
  const { search, archived, whyNotNew, onClose } = props;
  const { environments, role } = useScope();
  const { do: what, about } = search;
  const inUse = environments.find(({ key }) => key === about);
  if (what === 'new')
    return whyNotNew === undefined ? <NewDialog key={inUse?.id} source={inUse} onClose={onClose} /> : null;
  if (role !== 'admin') return null;
  if (what === 'edit' && inUse) return <EditDialog environment={inUse} onClose={onClose} />;
  if (what === 'archive' && inUse) return <ArchiveDialog environment={inUse} onClose={onClose} />;
  const old = archived?.find(({ key }) => key === about);
  if (what === 'restore' && old) return <RestoreDialog environment={old} onClose={onClose} />;
  if (what === 'delete' && old) return <DeleteDialog environment={old} onClose={onClose} />;
  if (archived === undefined && (what === 'restore' || what === 'delete')) return null;
  return (
    <Dialog isOpen onClose={onClose} title={t.goneTitle} foot={<Button onPress={onClose}>{t.close}</Button>}>
      {t.goneText}
    </Dialog>
  );
}
