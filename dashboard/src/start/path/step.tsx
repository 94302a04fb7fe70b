import type { ReactNode } from 'react';
import { classes } from '../../ui/classes.ts';
import { Icon } from '../../ui/icon.tsx';
import { t } from './messages.ts';
import styles from './path.module.css';

/** A numbered step: a tick once it is done, and what there is to do below it. */
export function Step(props: {
  readonly number: number;
  readonly isDone: boolean;
  readonly isCurrent: boolean;
  readonly title: string;
  /** At the right: what was made. */
  readonly fact?: ReactNode;
  readonly more?: ReactNode;
}) {
  const { number, isDone, isCurrent, title, fact, more } = props;
  return (
    <li {...(isCurrent && { 'aria-current': 'step' as const })}>
      <span className={classes(styles.mark, isDone ? styles.done : isCurrent && styles.now)}>
        {isDone ? <Icon name="check" /> : number}
      </span>
      <h2>
        {title}
        <span className={styles.sr}>{isDone ? `, ${t.isDone}` : isCurrent ? `, ${t.isNext}` : ''}</span>
      </h2>
      <span className={styles.fact}>{fact}</span>
      {more && <div className={styles.more}>{more}</div>}
    </li>
  );
}
