import type { ReactElement, ReactNode } from 'react';
import { Popover as AriaPopover, Dialog, DialogTrigger } from 'react-aria-components';
import { classes } from './classes.ts';
import styles from './overlay.module.css';

/** A button that opens a small panel with anything in it. The first child is the button. */
export function Popover(props: {
  readonly label: string;
  readonly trigger: ReactElement;
  readonly children: ReactNode | ((close: () => void) => ReactNode);
}) {
  const { label, trigger, children } = props;
  return (
    <DialogTrigger>
      {trigger}
      <AriaPopover className={classes(styles.popover, styles.panel)} offset={6}>
        <Dialog className={styles.dialog} aria-label={label}>
          {({ close }) => <>{typeof children === 'function' ? children(close) : children}</>}
        </Dialog>
      </AriaPopover>
    </DialogTrigger>
  );
}
