import { Outlet, useNavigate } from '@tanstack/react-router';
import { useEffect, useRef } from 'react';
import { useAvailablePages, useCurrentPath } from '../app/navigation/use-available-pages.ts';
import { useScope } from '../app/scope/use-scope.ts';
import { NavLink } from '../app/shell/nav-link.tsx';
import { t } from './messages.ts';
import styles from './settings-frame.module.css';

const GROUPS = ['settings', 'organization', 'personal', 'installation'] as const;

/** The navigation of the settings beside the page that is open. Without a page it opens the first one. */
export function SettingsFrame() {
  const { hrefTo, project, organization } = useScope();
  const titleOf = (section: (typeof GROUPS)[number]): string => {
    if (section === 'settings') return project.name;
    return section === 'organization' ? organization.name : t.groups[section];
  };
  const navigate = useNavigate();
  const path = useCurrentPath();
  // A person without a project still has settings that need none.
  const available = useAvailablePages().filter(({ path: one }) => project.id !== '' || one.startsWith('/'));
  const groups = GROUPS.map((section) => ({
    section,
    pages: available.filter((page) => page.section === section),
  })).filter(({ pages }) => pages.length > 0);
  const first = groups[0]?.pages[0] && hrefTo(groups[0].pages[0].path);
  const nav = useRef<HTMLElement>(null);
  useEffect(() => {
    // On a phone the entries stand in one line that scrolls. Only that line moves, not the page.
    const entry = nav.current?.querySelector<HTMLElement>(`[aria-current]`);
    if (entry && path !== '')
      nav.current!.scrollLeft = entry.offsetLeft - nav.current!.offsetLeft - entry.offsetWidth;
  }, [path]);
  const isAtRoot = path.replaceAll('/', '') === 'settings';
  useEffect(() => {
    if (isAtRoot && first !== undefined) void navigate({ href: first, replace: true });
  }, [isAtRoot, first, navigate]);
  return (
    <div className={styles.settings}>
      <nav ref={nav} className={styles.nav} aria-label={t.title}>
        {groups.map(({ section, pages }) => (
          <section key={section} className={styles.group} aria-label={titleOf(section)}>
            <span className={styles.title} aria-hidden="true">
              {titleOf(section)}
            </span>
            {pages.map((page) => (
              <NavLink
                key={page.id}
                page={page}
                isCurrent={path === page.path || path.startsWith(`${page.path}/`)}
              />
            ))}
          </section>
        ))}
      </nav>
      <div className={styles.page}>
        <Outlet />
      </div>
    </div>
  );
}
