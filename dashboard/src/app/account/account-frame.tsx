import type { ReactNode } from 'react';
import { classes } from '../../ui/classes.ts';
import { usePage } from '../navigation/use-page.ts';
import { Brand } from '../shell/brand.tsx';
import styles from './account-frame.module.css';

/** The frame of the pages before a session: sign-in, invitation, reset, first run. */
export function AccountFrame(props: {
  readonly title: string;
  readonly intro?: ReactNode;
  readonly foot?: ReactNode;
  readonly isWide?: boolean;
  readonly children: ReactNode;
}) {
  const { title, intro, foot, isWide, children } = props;
  usePage(title);
  return (
    <main className={styles.door}>
      <Brand href="/" />
      <div className={classes(styles.card, isWide && styles.wide)}>
        <div>
          <h1 tabIndex={-1}>{title}</h1>
          {intro !== undefined && <p>{intro}</p>}
        </div>
        {children}
      </div>
      {foot !== undefined && <p className={styles.foot}>{foot}</p>}
    </main>
  );
}
