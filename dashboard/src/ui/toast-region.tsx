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

const queue = new ToastQueue<Message>({ maxVisibleToasts: 3 });
const SHOWN_MS = 6_000;
const SHOWN_WITH_UNDO_MS = 20_000;

export function addToast(message: Message): void {
  queue.add(message, { timeout: message.undo ? SHOWN_WITH_UNDO_MS : SHOWN_MS });
}

/** The messages at the edge of the window. */
export function ToastRegion() {
  return (
    <AriaToastRegion queue={queue} className={styles.toasts} aria-label={t.notifications}>
      {({ toast: { key, content } }) => (
        <AriaToast toast={{ key, content }} className={styles.toast}>
          <Icon name="check" />
          <ToastContent>
            <Text slot="title">{content.text}</Text>
          </ToastContent>
          {content.undo && (
            <Button
              className={styles.toastButton}
              onPress={() => {
                content.undo?.();
                queue.close(key);
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
