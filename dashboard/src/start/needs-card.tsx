import type { ReactNode } from 'react';
import type { ApiProblem } from '../api/problem.ts';
import { useScope } from '../app/scope/use-scope.ts';
import { ButtonLink } from '../ui/button.tsx';
import { classes } from '../ui/classes.ts';
import { ErrorState } from '../ui/error-state.tsx';
import { Icon } from '../ui/icon.tsx';
import { Link } from '../ui/link.tsx';
import { Card, EmptyState, Skeleton } from '../ui/surface.tsx';
import { t } from './messages.ts';
import type { Need } from './needs.ts';
import styles from './start.module.css';

/** What needs the person, each with the one place to go. */
export function NeedsCard(props: {
  /** Undefined while it loads. */
  readonly needs: readonly Need[] | undefined;
  /** Stale flags of other people. */
  readonly othersStale: number;
  readonly problem: ApiProblem | undefined;
  readonly onRetry: () => void;
}) {
  const { needs, othersStale, problem, onRetry } = props;
  const { hrefTo } = useScope();
  if (problem && needs === undefined) return <ErrorState problem={problem} onRetry={onRetry} />;
  const foot = othersStale > 0 && (
    <span className={styles.foot}>
      {t.stale.others(othersStale)} <Link href={hrefTo('flags', { view: 'stale' })}>{t.stale.showAll}</Link>
    </span>
  );
  return (
    <Card title={t.needs} isFlush {...(foot && { foot })}>
      {needs === undefined ? (
        <Skeleton lines={6} label={t.loading} />
      ) : needs.length === 0 ? (
        <EmptyState icon="check" title={t.nothingTitle}>
          {t.nothingText}
        </EmptyState>
      ) : (
        <ul>
          {needs.map((need) => (
            <NeedItem key={need.id} need={need} />
          ))}
        </ul>
      )}
    </Card>
  );
}

function NeedItem({ need }: { readonly need: Need }): ReactNode {
  const { hrefTo } = useScope();
  const { tone, icon, title, text, action, path, search } = need;
  return (
    <li className={styles.item}>
      <span className={classes(styles.itemIcon, styles[tone])}>
        <Icon name={icon} />
      </span>
      <div className={styles.itemText}>
        <div className={styles.itemTitle}>{title}</div>
        <p className={styles.muted}>{text}</p>
      </div>
      <div className={styles.itemEnd}>
        <ButtonLink href={hrefTo(path, search)} isSmall>
          {action}
          <span className={styles.sr}>: {title}</span>
        </ButtonLink>
      </div>
    </li>
  );
}
