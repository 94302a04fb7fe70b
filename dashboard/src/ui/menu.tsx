import type { ReactElement, ReactNode } from 'react';
import {
  Menu as AriaMenu,
  Popover as AriaPopover,
  Dialog,
  DialogTrigger,
  Header,
  MenuItem,
  MenuSection,
  MenuTrigger,
} from 'react-aria-components';
import { classes } from './classes.ts';
import { Icon } from './icon.tsx';
import type { IconName } from './icon-paths.ts';
import styles from './overlay.module.css';

export interface MenuEntry {
  readonly id: string;
  readonly label: string;
  readonly note?: string | undefined;
  readonly icon?: IconName | undefined;
  readonly isDanger?: boolean;
  readonly isDisabled?: boolean;
  readonly isCurrent?: boolean;
  readonly href?: string | undefined;
  readonly run?: (() => void) | undefined;
}

export interface MenuGroup {
  readonly title?: string;
  readonly entries: readonly MenuEntry[];
}

/** A button that opens a list of actions. The child is the button; `label` names the list. */
export function Menu(props: {
  readonly label: string;
  readonly groups: readonly MenuGroup[];
  readonly children: ReactElement;
}) {
  const { label, groups, children } = props;
  return (
    <MenuTrigger>
      {children}
      <AriaPopover className={styles.popover} offset={6}>
        <AriaMenu className={styles.list} aria-label={label}>
          {groups.map(({ title, entries }, index) => (
            <MenuSection key={title ?? index} aria-label={title ?? label}>
              {title !== undefined && <Header className={styles.heading}>{title}</Header>}
              {entries.map((entry) => (
                <MenuItem
                  key={entry.id}
                  id={entry.id}
                  textValue={entry.label}
                  href={entry.href}
                  isDisabled={entry.isDisabled}
                  onAction={entry.run}
                  className={classes(styles.item, entry.isDanger && styles.danger)}
                >
                  {entry.icon && <Icon name={entry.icon} />}
                  <span className={styles.itemText}>
                    {entry.label}
                    {entry.note && <span className={styles.itemNote}>{entry.note}</span>}
                  </span>
                  {entry.isCurrent && (
                    <span className={styles.itemEnd}>
                      <Icon name="check" />
                    </span>
                  )}
                </MenuItem>
              ))}
            </MenuSection>
          ))}
        </AriaMenu>
      </AriaPopover>
    </MenuTrigger>
  );
}

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
