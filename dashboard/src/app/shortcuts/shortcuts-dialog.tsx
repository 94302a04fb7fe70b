import { Dialog } from '../../ui/dialog.tsx';
import styles from '../shell/frame.module.css';
import { t } from '../shell/messages.ts';
import { shortcuts } from './use-shortcut.ts';

/** Every key that does something on the page. */
export function ShortcutsDialog({ onClose }: { readonly onClose: () => void }) {
  return (
    <Dialog isOpen onClose={onClose} title={t.shortcuts}>
      <dl className={styles.list}>
        {shortcuts.list().map(({ keys, label }) => [
          <dt key={keys}>
            {keys.split(' ').map((key) => (
              <kbd key={key}>{key.replace('mod+', 'Ctrl ')}</kbd>
            ))}
          </dt>,
          <dd key={`${keys} label`}>{label}</dd>,
        ])}
      </dl>
    </Dialog>
  );
}
