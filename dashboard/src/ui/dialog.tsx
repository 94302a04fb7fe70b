import { type FormEvent, type ReactNode, useState } from 'react';
import { Dialog as AriaDialog, Heading, Modal, ModalOverlay } from 'react-aria-components';
import { Button, IconButton } from './button.tsx';
import { classes } from './classes.ts';
import { t } from './messages.ts';
import styles from './overlay.module.css';
import { TextField } from './text-field.tsx';

export interface DialogProps {
  readonly isOpen: boolean;
  /** Called by Escape, the close button and a click beside the dialog. Without it, only the dialog's own buttons close. */
  readonly onClose?: (() => void) | undefined;
  readonly title: string;
  /** One sentence below the title. */
  readonly intro?: ReactNode;
  readonly children?: ReactNode;
  /** Buttons, the main one first. */
  readonly foot?: ReactNode;
  readonly isWide?: boolean;
  /** `alertdialog` for a question that must be answered; a click beside it does not close it. */
  readonly role?: 'dialog' | 'alertdialog';
  /** True when something would be lost: a click beside does not close it, and Escape asks first. */
  readonly isStubborn?: boolean;
  /** What would be lost, for that question. */
  readonly loss?: string;
  /** Stays in front of dialogs that open later. */
  readonly isOnTop?: boolean;
}

/** A later dialog makes everything else inert, except what has this attribute. */
const TOP_LAYER = { 'data-react-aria-top-layer': true };

/** A dialog over the page. Focus goes in, stays, and returns to where it was. */
export function Dialog(props: DialogProps) {
  const {
    isOpen,
    onClose,
    isWide,
    role = 'dialog',
    isStubborn,
    loss = t.unsavedLoss,
    isOnTop,
    ...content
  } = props;
  const [isAsking, setAsking] = useState(false);
  const close = isStubborn ? () => setAsking(true) : onClose;
  return (
    <ModalOverlay
      isOpen={isOpen}
      onOpenChange={(open) => !open && close?.()}
      isDismissable={role === 'dialog' && !isStubborn}
      isKeyboardDismissDisabled={onClose === undefined}
      className={classes(styles.scrim, isOnTop && styles.onTop)}
      {...(isOnTop && TOP_LAYER)}
    >
      <Modal className={classes(styles.modal, isWide && styles.wide)}>
        <Content role={role} {...content} />
        {isAsking && onClose && (
          <AlertDialog
            isOpen
            onClose={() => setAsking(false)}
            title={t.closeAnyway}
            action={t.close}
            onAction={onClose}
            isDanger
          >
            {loss}
          </AlertDialog>
        )}
      </Modal>
    </ModalOverlay>
  );
}

/** A panel at the right edge for details beside a list. On a phone it fills the screen. */
export function Drawer({ isOpen, onClose, ...content }: Omit<DialogProps, 'isWide' | 'role'>) {
  return (
    <ModalOverlay
      isOpen={isOpen}
      onOpenChange={(open) => !open && onClose?.()}
      isDismissable={!content.isStubborn}
      className={classes(styles.scrim, styles.drawerScrim)}
    >
      <Modal className={classes(styles.modal, styles.drawer)}>
        <Content
          role="dialog"
          {...content}
          closeButton={onClose && <IconButton icon="close" label={t.close} onPress={onClose} />}
        />
      </Modal>
    </ModalOverlay>
  );
}

function Content(
  props: Pick<DialogProps, 'title' | 'intro' | 'children' | 'foot' | 'role'> & { closeButton?: ReactNode },
) {
  const { title, intro, children, foot, role, closeButton } = props;
  return (
    <AriaDialog className={styles.dialog} role={role}>
      <div className={styles.head}>
        <Heading slot="title" level={2}>
          {title}
        </Heading>
        {intro !== undefined && <p>{intro}</p>}
        {closeButton && <div className={styles.close}>{closeButton}</div>}
      </div>
      <div className={styles.body}>{children}</div>
      {foot && <div className={styles.foot}>{foot}</div>}
    </AriaDialog>
  );
}

/** A question before something that can be undone but surprises others. */
export function AlertDialog(props: {
  readonly isOpen: boolean;
  readonly onClose: () => void;
  readonly title: string;
  readonly children: ReactNode;
  /** What the button does: "Archive 3 flags". */
  readonly action: string;
  readonly onAction: () => void;
  /** What the other button says, where "Cancel" could mean the action. */
  readonly keep?: string;
  readonly isDanger?: boolean;
  readonly isPending?: boolean;
}) {
  const { isOpen, onClose, title, children, action, onAction, keep = t.cancel, isDanger, isPending } = props;
  return (
    <Dialog
      isOpen={isOpen}
      onClose={onClose}
      title={title}
      role="alertdialog"
      foot={
        <>
          <Button kind={isDanger ? 'danger' : 'main'} onPress={onAction} isPending={isPending}>
            {action}
          </Button>
          <Button onPress={onClose} autoFocus>
            {keep}
          </Button>
        </>
      }
    >
      {children}
    </Dialog>
  );
}

/** For what cannot be undone: the person types the name of the thing. */
export function TypedConfirmation(props: {
  readonly isOpen: boolean;
  readonly onClose: () => void;
  readonly title: string;
  /** What is lost. */
  readonly children: ReactNode;
  /** What must be typed. */
  readonly expected: string;
  readonly action: string;
  readonly onAction: () => void;
  readonly isPending?: boolean;
  /** Why it would be refused, whatever is typed. */
  readonly whyNot?: string | undefined;
}) {
  const { isOpen, onClose, title, children, expected, action, onAction, isPending } = props;
  const [typed, setTyped] = useState('');
  const fits = typed.trim() === expected;
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    if (fits) onAction();
  };
  return (
    <Dialog isOpen={isOpen} onClose={onClose} title={title} role="alertdialog">
      {children}
      <form onSubmit={submit}>
        <TextField label={t.typeToConfirm(expected)} value={typed} onChange={setTyped} isMono autoFocus />
        <div className={classes(styles.foot, styles.formFoot)}>
          <Button
            kind="danger"
            type="submit"
            whyNot={props.whyNot ?? (fits ? undefined : t.typeFirst(expected))}
            isPending={isPending}
          >
            {action}
          </Button>
          <Button onPress={onClose}>{t.cancel}</Button>
        </div>
      </form>
    </Dialog>
  );
}
