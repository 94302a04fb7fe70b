import {
  UNSTABLE_Toast as AriaToast,
  Button,
  Text,
  UNSTABLE_ToastContent as ToastContent,
  UNSTABLE_ToastQueue as ToastQueue,
  UNSTABLE_ToastRegion as ToastRegion,
} from 'react-aria-components';
import { Icon } from './icon.tsx';
import { t } from './messages.ts';
import styles from './overlay.module.css';

interface Message {
  readonly text: string;
  readonly action?: { readonly label: string; readonly run: () => void } | undefined;
}

const queue = new ToastQueue<Message>({ maxVisibleToasts: 3 });
const SHOWN_MS = 6_000;
const SHOWN_WITH_ACTION_MS = 20_000;

/** Says that something happened, with one undo at most. Errors are not toasts: they stay where they happened. */
export function showToast(text: string, undo?: () => void): void {
  const action = undo && { label: t.undo, run: undo };
  queue.add({ text, action }, { timeout: action ? SHOWN_WITH_ACTION_MS : SHOWN_MS });
}

/** Where toasts appear. Once in the app. */
export function Toasts() {
  return (
    <ToastRegion queue={queue} className={styles.toasts} aria-label={t.notifications}>
      {({ toast }) => (
        <AriaToast toast={toast} className={styles.toast}>
          <Icon name="check" />
          <ToastContent>
            <Text slot="title">{toast.content.text}</Text>
          </ToastContent>
          {toast.content.action && (
            <Button
              className={styles.toastButton}
              onPress={() => {
                toast.content.action!.run();
                queue.close(toast.key);
              }}
            >
              {toast.content.action.label}
            </Button>
          )}
          <Button slot="close" className={styles.toastButton} aria-label={t.close}>
            <Icon name="close" isSmall />
          </Button>
        </AriaToast>
      )}
    </ToastRegion>
  );
}
