import { lazy, Suspense, useState } from 'react';
import { Button, IconButton } from '../../ui/button.tsx';
import { Menu } from '../../ui/menu.tsx';
import type { Selection } from '../use-selection.ts';
import styles from './bulk.module.css';
import type { BulkAction } from './bulk-action.ts';
import { t } from './messages.ts';

const BulkDialog = lazy(async () => ({ default: (await import('./bulk-dialog.tsx')).BulkDialog }));

const MAIN: readonly BulkAction[] = ['toggle', 'add_tags', 'set_owner', 'archive'];
const MORE: readonly BulkAction[] = ['remove_tags', 'restore', 'unmark_stale'];

/** What can be done with the selected flags, at the lower edge of the screen. */
export function BulkBar({ selection }: { readonly selection: Selection }) {
  const [action, setAction] = useState<BulkAction>();
  return (
    <>
      <section className={styles.bar} aria-label={t.bar}>
        <b role="status">{t.selected(selection.flags.size)}</b>
        {MAIN.map((one) => (
          <Button key={one} kind="quiet" isSmall onPress={() => setAction(one)}>
            {t.actions[one]}
          </Button>
        ))}
        <Menu
          label={t.moreActions}
          groups={[{ entries: MORE.map((id) => ({ id, label: t.actions[id], run: () => setAction(id) })) }]}
        >
          <Button kind="quiet" isSmall>
            {t.more}
          </Button>
        </Menu>
        <IconButton icon="close" label={t.clear} onPress={selection.clear} />
      </section>
      {action && (
        <Suspense>
          <BulkDialog
            key={action}
            action={action}
            flags={[...selection.flags.values()]}
            onClose={() => setAction(undefined)}
            onDone={selection.clear}
          />
        </Suspense>
      )}
    </>
  );
}
