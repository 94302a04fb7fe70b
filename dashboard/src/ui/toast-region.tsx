import {
  UNSTABLE_Toast as AriaToast,
  UNSTABLE_ToastRegion as AriaToastRegion,
  Button,
  Text,
  UNSTABLE_ToastContent as ToastContent,
  UNSTABLE_ToastQueue as ToastQueue,
} from 'react-aria-components';
import { Icon } from './icon.tsx';
import { t } from './messages.ts';
import styles from './overlay.module.css';

export interface Message {
  readonly text: string;
  readonly undo?: (() => void) | undefined;
}

const queue = new ToastQueue<Message>();
const SHOWN_MS = 6_000;
const SHOWN_WITH_UNDO_MS = 20_000;

/** Only the last change can be undone, so its message takes the place of the one before. */
export function addToast(message: Message): void {
  for (const { key, content } of queue.visibleToasts)
    if ((content.undo === undefined) === (message.undo === undefined)) queue.close(key);
  queue.add(message, { timeout: message.undo ? SHOWN_WITH_UNDO_MS : SHOWN_MS });
}

/** The messages at the edge of the window. */
export function ToastRegion() {
  return (
    <AriaToastRegion queue={queue} className={styles.toasts} aria-label={t.notifications}>
      {({ toast }) => (
        <AriaToast toast={toast} className={styles.toast}>
          <Icon name="check" />
          <ToastContent>
            <Text slot="title">{toast.content.text}</Text>
          </ToastContent>
          {toast.content.undo && (
            <Button
              className={styles.toastButton}
              onPress={() => {
                toast.content.undo?.();
                queue.close(toast.key);
              }}
            >
              {t.undo}
            </Button>
          )}
          <Button slot="close" className={styles.toastButton} aria-label={t.close}>
            <Icon name="close" isSmall />
          </Button>
        </AriaToast>
      )}
    </AriaToastRegion>
  );
}
