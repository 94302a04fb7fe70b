import type { RefObject } from 'react';
import { Header, Menu, MenuItem, MenuSection, Popover } from 'react-aria-components';
import { classes } from './classes.ts';
import { Icon } from './icon.tsx';
import type { MenuEntry, MenuGroup } from './menu-entry.ts';
import styles from './overlay.module.css';

/** The list of actions below its button. */
export function MenuList(props: {
  readonly trigger: RefObject<HTMLButtonElement | null>;
  readonly label: string;
  readonly groups: readonly MenuGroup[];
  readonly isOpen: boolean;
  /** True when a key opened it: the focus then goes to the first action. */
  readonly isByKey: boolean;
  readonly onClose: () => void;
}) {
  const { trigger, label, groups, isOpen, isByKey, onClose } = props;
  return (
    <Popover
      triggerRef={trigger}
      isOpen={isOpen}
      onOpenChange={(next) => !next && onClose()}
      className={styles.popover}
      offset={6}
    >
      <Menu className={styles.list} aria-label={label} autoFocus={isByKey ? 'first' : true} onClose={onClose}>
        {groups.map(({ title, entries }, index) => (
          <MenuSection key={title ?? index} aria-label={title ?? label}>
            {title !== undefined && <Header className={styles.heading}>{title}</Header>}
            {entries.map((entry) => (
              <Entry key={entry.id} entry={entry} />
            ))}
          </MenuSection>
        ))}
      </Menu>
    </Popover>
  );
}

function Entry({ entry }: { readonly entry: MenuEntry }) {
  const { id, label, note, icon, href, isDanger, isDisabled, isCurrent, run } = entry;
  return (
    <MenuItem
      id={id}
      textValue={label}
      href={href}
      isDisabled={isDisabled}
      onAction={run}
      className={classes(styles.item, isDanger && styles.danger)}
    >
      {icon && <Icon name={icon} />}
      <span className={styles.itemText}>
        {label}
        {note && <span className={styles.itemNote}>{note}</span>}
      </span>
      {isCurrent && (
        <span className={styles.itemEnd}>
          <Icon name="check" />
        </span>
      )}
    </MenuItem>
  );
}
