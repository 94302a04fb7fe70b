import { Outlet, useNavigate } from '@tanstack/react-router';
import { useEffect } from 'react';
import { Link } from 'react-aria-components';
import { useAvailablePages, useCurrentPath } from '../app/navigation/use-available-pages.ts';
import type { PageDefinition } from '../app/page-definition.ts';
import { useScope } from '../app/scope/use-scope.ts';
import { PageBadge } from '../app/shell/page-badge.tsx';
import { classes } from '../ui/classes.ts';
import { t } from './messages.ts';
import styles from './settings-frame.module.css';

/** The navigation of the settings beside the page that is open. Without a page it opens the first one. */
export function SettingsFrame() {
  const { hrefTo } = useScope();
  const navigate = useNavigate();
  const path = useCurrentPath();
  const pages = useAvailablePages().filter(({ section }) => section === 'settings');
  const first = pages[0] && hrefTo(pages[0].path);
  const isAtRoot = path.replace(/\/$/, '') === 'settings';
  useEffect(() => {
    if (isAtRoot && first !== undefined) void navigate({ href: first, replace: true });
  }, [isAtRoot, first, navigate]);
  return (
    <div className={styles.settings}>
      <nav className={styles.nav} aria-label={t.title}>
        <span className={styles.title} aria-hidden="true">
          {t.title}
        </span>
        {pages.map((page) => (
          <NavLink
            key={page.id}
            page={page}
            isCurrent={path === page.path || path.startsWith(`${page.path}/`)}
          />
        ))}
      </nav>
      <div className={styles.page}>
        <Outlet />
      </div>
    </div>
  );
}

function NavLink({ page, isCurrent }: { readonly page: PageDefinition; readonly isCurrent: boolean }) {
  const scope = useScope();
  return (
    <Link href={scope.hrefTo(page.path)} aria-current={isCurrent ? 'page' : undefined}>
      {page.label}
      <PageBadge page={page}>
        {({ text, tone }) => <span className={classes(styles.count, tone && styles[tone])}>{text}</span>}
      </PageBadge>
    </Link>
  );
}
