import type { ReactNode } from 'react';
import { Button, Link } from 'react-aria-components';
import { Icon } from '../../ui/icon.tsx';
import type { PageDefinition } from '../page-definition.ts';
import { useScope } from '../scope/use-scope.ts';
import { Brand } from './brand.tsx';
import styles from './frame.module.css';
import { t } from './messages.ts';
import { NavLink } from './nav-link.tsx';

interface SidebarProps {
  readonly pages: readonly PageDefinition[];
  readonly currentPath: string;
  readonly onFind: () => void;
}

export function Sidebar({ pages, currentPath, onFind, foot }: SidebarProps & { readonly foot: ReactNode }) {
  const { hrefTo, project } = useScope();
  return (
    <aside className={styles.side} aria-label={t.pages}>
      <Brand href={hrefTo('')} />
      <Button className={styles.find} onPress={onFind}>
        <Icon name="search" />
        {t.findOrDo}
        <span className={styles.keys} aria-hidden="true">
          <kbd>Ctrl</kbd>
          <kbd>K</kbd>
        </span>
      </Button>
      <Section
        label={project.name}
        pages={pages.filter(({ section }) => section === 'main')}
        currentPath={currentPath}
      />
      <div className={styles.navTitle} aria-hidden="true">
        {t.operate}
      </div>
      <Section
        label={t.operate}
        pages={pages.filter(({ section }) => section === 'operate')}
        currentPath={currentPath}
      />
      <div className={styles.foot}>{foot}</div>
    </aside>
  );
}

function Section(props: Omit<SidebarProps, 'onFind'> & { readonly label: string }) {
  const { label, pages, currentPath } = props;
  return (
    <nav className={styles.nav} aria-label={label}>
      {pages.map((page) => (
        <NavLink key={page.id} page={page} isCurrent={isAt(currentPath, page.path)} hasIcon />
      ))}
    </nav>
  );
}

/** Whether the address is the page or below it. The settings without a project are below the settings, too. */
export function isAt(currentPath: string, path: string): boolean {
  const current = currentPath.replace(/^\//, '');
  return current === path || (path !== '' && current.startsWith(`${path}/`));
}

/** The bar at the thumb: the most important pages, and everything else behind "More". */
export function TabBar({ pages, currentPath, onFind }: SidebarProps) {
  const { hrefTo } = useScope();
  return (
    <nav className={styles.tabbar} aria-label={t.tabs}>
      {pages
        .filter(({ onPhone }) => onPhone)
        .map((page) => (
          <Link
            key={page.id}
            href={hrefTo(page.path)}
            aria-current={isAt(currentPath, page.path) ? 'page' : undefined}
          >
            <Icon name={page.icon} />
            {page.label}
          </Link>
        ))}
      <Button onPress={onFind}>
        <Icon name="menu" />
        {t.more}
      </Button>
    </nav>
  );
}
