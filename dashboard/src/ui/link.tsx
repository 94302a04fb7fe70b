import type { ReactNode } from 'react';
import { Link as AriaLink } from 'react-aria-components';
import { classes } from './classes.ts';
import { Icon } from './icon.tsx';
import styles from './link.module.css';

/** A link inside of the dashboard, without a new load of the page. `plain` has the colour of the text around it. */
export function Link(props: {
  readonly href: string;
  readonly isPlain?: boolean;
  readonly current?: 'page' | 'true' | undefined;
  readonly 'aria-label'?: string;
  readonly children: ReactNode;
}) {
  const { href, isPlain, current, children } = props;
  return (
    <AriaLink
      href={href}
      className={classes(styles.link, isPlain && styles.plain)}
      aria-current={current}
      aria-label={props['aria-label']}
    >
      {children}
    </AriaLink>
  );
}

/** A link to another site, in a new tab. */
export function ExternalLink({ href, children }: { readonly href: string; readonly children: ReactNode }) {
  return (
    <a className={styles.link} href={href} target="_blank" rel="noreferrer">
      {children}
      <Icon name="external" isSmall />
    </a>
  );
}
