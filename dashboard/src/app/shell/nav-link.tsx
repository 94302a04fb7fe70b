import { Link } from 'react-aria-components';
import { classes } from '../../ui/classes.ts';
import { Icon } from '../../ui/icon.tsx';
import type { PageDefinition } from '../page-definition.ts';
import { useScope } from '../scope/use-scope.ts';
import styles from './nav-link.module.css';
import { PageBadge } from './page-badge.tsx';

/** A page in a navigation, with the number or word that it shows there. */
export function NavLink(props: {
  readonly page: PageDefinition;
  readonly isCurrent: boolean;
  readonly hasIcon?: boolean;
}) {
  const { page, isCurrent, hasIcon } = props;
  const { hrefTo } = useScope();
  return (
    <Link href={hrefTo(page.path)} className={styles.link!} aria-current={isCurrent ? 'page' : undefined}>
      {hasIcon && <Icon name={page.icon} />}
      {page.label}
      <PageBadge page={page}>
        {({ text, tone }) => <span className={classes(styles.count, tone && styles[tone])}>{text}</span>}
      </PageBadge>
    </Link>
  );
}
