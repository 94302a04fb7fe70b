import type { HTMLAttributes } from 'react';
import type { Environment } from '../api/types.ts';
import { useScope } from '../app/scope/use-scope.ts';
import { EnvironmentBadge, Tag } from '../ui/badge.tsx';
import { Button, IconButton } from '../ui/button.tsx';
import { classes } from '../ui/classes.ts';
import { Icon } from '../ui/icon.tsx';
import { Link } from '../ui/link.tsx';
import { Menu } from '../ui/menu.tsx';
import type { MenuEntry } from '../ui/menu-entry.ts';
import styles from './environments.module.css';
import { t } from './messages.ts';

const MARKS = ['critical', 'confirm_changes', 'require_comment', 'record_contexts'] as const;

export interface RowActions {
  readonly isPinned: boolean;
  readonly canPin: boolean;
  readonly isPinFull: boolean;
  readonly pin: () => void;
  readonly isAdmin: boolean;
  /** True for the only one in use. */
  readonly isLast: boolean;
  readonly open: (what: 'edit' | 'new' | 'archive') => void;
}

/** How a row can be moved. */
interface Moving {
  readonly place: number;
  readonly count: number;
  readonly moveTo: (place: number) => void;
  readonly handle: HTMLAttributes<HTMLElement>;
  readonly isDragged: boolean;
  readonly drop: 'before' | 'after' | undefined;
}

/** One environment: its colour, name, type and settings, and what can be done with it. */
export function EnvironmentRow(props: {
  readonly environment: Environment;
  readonly actions: RowActions;
  readonly moving?: Moving;
}) {
  const { environment, actions, moving } = props;
  const { hrefTo } = useScope();
  const { name, key, type } = environment;
  return (
    <li
      className={classes(styles.row, moving && styles.movable)}
      data-dragged={moving?.isDragged || undefined}
      data-drop={moving?.drop}
    >
      {moving && (
        <button
          type="button"
          className={styles.grip}
          aria-label={t.move(name)}
          title={t.moveHelp}
          {...moving.handle}
        >
          <Icon name="grip" />
        </button>
      )}
      <span className={styles.swatch} style={{ background: environment.color }} aria-hidden="true" />
      <div className={styles.name}>
        {actions.isAdmin ? (
          <Link isPlain href={hrefTo('settings/environments', { do: 'edit', about: key })}>
            {name}
          </Link>
        ) : (
          <b>{name}</b>
        )}
        <code>{key}</code>
      </div>
      <div className={styles.marks}>
        <EnvironmentBadge environment={{ name: t.types[type], type }} />
        {MARKS.filter((mark) => environment[mark]).map((mark) => (
          <Tag key={mark}>{t.marks[mark]}</Tag>
        ))}
      </div>
      <RowButtons environment={environment} actions={actions} moving={moving} />
    </li>
  );
}

function RowButtons(props: {
  readonly environment: Environment;
  readonly actions: RowActions;
  readonly moving: Moving | undefined;
}) {
  const { environment, actions, moving } = props;
  const { name } = environment;
  const { isPinned, isPinFull } = actions;
  return (
    <div className={styles.buttons}>
      {actions.canPin && (
        <Button
          kind="quiet"
          isSmall
          icon="pin"
          aria-label={isPinned ? t.unpin(name) : t.pin(name)}
          aria-pressed={isPinned}
          onPress={actions.pin}
          whyNot={!isPinned && isPinFull ? t.tooManyPins : undefined}
        >
          {isPinned ? t.pinned : ''}
        </Button>
      )}
      {actions.isAdmin && (
        <Menu label={t.actionsOf(name)} groups={menuOf(actions, moving)}>
          <IconButton icon="dots" label={t.actionsOf(name)} isSmall />
        </Menu>
      )}
    </div>
  );
}

function menuOf({ open, isLast }: RowActions, moving: Moving | undefined) {
  const moves: readonly MenuEntry[] = moving ? movesOf(moving) : [];
  const archive: MenuEntry = {
    id: 'archive',
    label: t.archive,
    note: isLast ? t.last : undefined,
    icon: 'trash',
    isDanger: true,
    isDisabled: isLast,
    run: () => open('archive'),
  };
  return [
    {
      entries: [
        { id: 'edit', label: t.edit, icon: 'pencil' as const, run: () => open('edit') },
        { id: 'clone', label: t.clone, icon: 'copy' as const, run: () => open('new') },
      ],
    },
    ...(moves.length > 0 ? [{ entries: moves }] : []),
    { entries: [archive] },
  ];
}

function movesOf({ place, count, moveTo }: Moving): readonly MenuEntry[] {
  const isFirst = place === 0;
  const isLast = place === count - 1;
  return [
    { id: 'up', label: t.up, icon: 'up', isDisabled: isFirst, run: () => moveTo(place - 1) },
    { id: 'down', label: t.down, icon: 'down', isDisabled: isLast, run: () => moveTo(place + 1) },
    { id: 'top', label: t.top, isDisabled: isFirst, run: () => moveTo(0) },
    { id: 'bottom', label: t.bottom, isDisabled: isLast, run: () => moveTo(count - 1) },
  ];
}
