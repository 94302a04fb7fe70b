import { type ReactNode, useEffect, useId, useRef, useState } from 'react';
import { IconButton } from '../../ui/button.tsx';
import { CopyButton } from '../../ui/copy.tsx';
import { AlertDialog } from '../../ui/dialog.tsx';
import { Icon } from '../../ui/icon.tsx';
import { Note, Stack } from '../../ui/layout.tsx';
import { useLeaveGuard } from '../navigation/use-leave-guard.ts';
import { t } from './messages.ts';
import styles from './shown-once.module.css';

/** A card above a list: what was made, its secret, and what to do with it. Leaving before it was copied asks first. */
export function ShownOnce(props: {
  /** What was made: `Key “storefront” made`. */
  readonly title: string;
  /** Beside the title. */
  readonly badges?: ReactNode;
  /** Undefined when the answer had none, because the request was repeated. */
  readonly secret: string | undefined;
  /** In the place of the secret when there is none: how to get another. */
  readonly noSecret: string;
  /** The copy button: `Copy key`. */
  readonly copy?: string;
  /** The question before leaving without a copy, and what is lost. */
  readonly leave?: { readonly title: string; readonly text: string };
  readonly onDone: () => void;
  readonly children?: ReactNode;
}) {
  const { title, badges, secret, noSecret, copy = t.copy, leave, onDone, children } = props;
  const [isCopied, setCopied] = useState(false);
  const [isClosing, setClosing] = useState(false);
  const isSafe = isCopied || secret === undefined;
  const guard = useLeaveGuard(!isSafe);
  const id = useId();
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => heading.current?.focus(), []);
  return (
    <section className={styles.card} aria-labelledby={id}>
      <div className={styles.head}>
        <Note tone="good">
          <Icon name="check" />
        </Note>
        <h2 id={id} ref={heading} tabIndex={-1}>
          {title}
        </h2>
        {badges}
        <span className={styles.end}>
          <IconButton
            icon="close"
            label={t.done}
            isSmall
            onPress={() => (isSafe ? onDone() : setClosing(true))}
          />
        </span>
      </div>
      <div className={styles.body}>
        {secret === undefined ? (
          <p>{noSecret}</p>
        ) : (
          <Secret secret={secret} copy={copy} onCopied={() => setCopied(true)} />
        )}
        {children}
      </div>
      <AlertDialog
        isOpen={isClosing || guard.isAsking}
        onClose={() => {
          setClosing(false);
          guard.stay();
        }}
        title={leave?.title ?? t.leaveTitle}
        action={t.leaveAction}
        onAction={() => (guard.isAsking ? guard.leave() : onDone())}
        isDanger
      >
        {leave?.text ?? t.leave}
      </AlertDialog>
    </section>
  );
}

function Secret(props: { readonly secret: string; readonly copy: string; readonly onCopied: () => void }) {
  const { secret, copy, onCopied } = props;
  return (
    <Stack gap="close">
      <p>{t.copyNow}</p>
      <div className={styles.secret}>
        <code onCopy={onCopied}>{secret}</code>
        <CopyButton text={secret} kind="main" onCopied={onCopied}>
          {copy}
        </CopyButton>
      </div>
    </Stack>
  );
}
