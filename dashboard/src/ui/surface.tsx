import type { ReactNode } from 'react';
import { classes } from './classes.ts';
import { Icon } from './icon.tsx';
import type { IconName } from './icon-paths.ts';
import { t } from './messages.ts';
import styles from './surface.module.css';

/** A surface with an optional head and foot. `isFlush` leaves the padding to the content, such as a list. */
export function Card(props: {
  readonly title?: ReactNode;
  readonly end?: ReactNode;
  readonly foot?: ReactNode;
  readonly isFlush?: boolean;
  readonly children: ReactNode;
}) {
  const { title, end, foot, isFlush, children } = props;
  return (
    <section className={styles.card}>
      {(title !== undefined || end !== undefined) && (
        <div className={styles.cardHead}>
          {title !== undefined && <h2>{title}</h2>}
          {end !== undefined && <div className={styles.cardEnd}>{end}</div>}
        </div>
      )}
      {isFlush ? children : <div className={styles.cardBody}>{children}</div>}
      {foot !== undefined && <div className={styles.cardFoot}>{foot}</div>}
    </section>
  );
}

/** More characters may not fit into the lines of a title on a phone. */
const TITLE_MAX = 60;

/** The title of a page, which takes the focus after a navigation, with its actions at the right. */
export function PageHeader(props: {
  readonly title: string;
  /** Beside the title, such as badges. */
  readonly beside?: ReactNode;
  readonly intro?: ReactNode;
  /** A line of facts below the title. */
  readonly meta?: ReactNode;
  readonly actions?: ReactNode;
}) {
  const { title, beside, intro, meta, actions } = props;
  return (
    <header className={styles.head}>
      <div className={styles.headText}>
        <div className={styles.headMeta}>
          <h1 tabIndex={-1} title={title.length > TITLE_MAX ? title : undefined}>
            {title}
          </h1>
          {beside}
        </div>
        {intro !== undefined && <p>{intro}</p>}
        {meta !== undefined && <div className={styles.headMeta}>{meta}</div>}
      </div>
      {actions !== undefined && <div className={styles.headEnd}>{actions}</div>}
    </header>
  );
}

/** Names and values. */
export function Facts({ facts }: { readonly facts: readonly (readonly [name: string, value: ReactNode])[] }) {
  return (
    <dl className={styles.facts}>
      {facts.map(([name, value]) => [<dt key={name}>{name}</dt>, <dd key={`${name} value`}>{value}</dd>])}
    </dl>
  );
}

/** Nothing here yet, or nothing found: what this place is for, and the one next action. */
export function EmptyState(props: {
  readonly icon: IconName;
  readonly title: string;
  readonly children?: ReactNode;
  readonly actions?: ReactNode;
  /** In the place of a whole page, whose only heading the title then is. */
  readonly isPage?: boolean;
}) {
  const { icon, title, children, actions, isPage } = props;
  const Heading = isPage ? 'h1' : 'h3';
  return (
    <div className={styles.empty}>
      <Icon name={icon} />
      <Heading>{title}</Heading>
      {children !== undefined && <div className={styles.noticeText}>{children}</div>}
      {actions !== undefined && <div className={styles.emptyActions}>{actions}</div>}
    </div>
  );
}

const NOTICE_ICONS = { neutral: 'info', info: 'info', good: 'check', warn: 'warn', bad: 'error' } as const;

/** Something that the person should know: what happened, what was kept, what to do. `isUrgent` reads it aloud at once. */
export function Notice(props: {
  readonly tone?: keyof typeof NOTICE_ICONS;
  readonly icon?: IconName;
  readonly title: string;
  readonly isUrgent?: boolean;
  readonly children?: ReactNode;
  readonly actions?: ReactNode;
}) {
  const { tone = 'neutral', icon, title, isUrgent, children, actions } = props;
  return (
    <div
      className={classes(styles.notice, tone !== 'neutral' && styles[tone])}
      {...(isUrgent && { role: 'alert' })}
    >
      <Icon name={icon ?? NOTICE_ICONS[tone]} />
      <div>
        <b>{title}</b>
        {children !== undefined && <p>{children}</p>}
        {actions !== undefined && <div className={styles.noticeActions}>{actions}</div>}
      </div>
    </div>
  );
}

/** In the place of what is loading, with the height of what will come. Appears late, so that nothing blinks. */
export function Skeleton({
  lines = 3,
  label = t.loading,
}: {
  readonly lines?: number;
  readonly label?: string;
}) {
  return (
    <div className={styles.lines} role="status" aria-label={label}>
      {Array.from({ length: lines }, (_, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the lines are all the same.
        <span key={index} className={classes(styles.skeleton, styles[`w${3 - (index % 3)}`])} />
      ))}
    </div>
  );
}

/** How far long work is; without `value`, that it goes on. */
export function ProgressBar(props: {
  readonly label: string;
  readonly value?: number;
  readonly max?: number;
  readonly note?: string;
}) {
  const { label, value, max = 100, note } = props;
  return (
    <div className={styles.progress}>
      <div className={styles.progressHead}>
        <span>{label}</span>
        <span>{note}</span>
      </div>
      <div className={styles.bar}>
        <progress aria-label={label} max={max} {...(value !== undefined && { value })} />
      </div>
    </div>
  );
}
