import { useNavigate } from '@tanstack/react-router';
import { lazy, type ReactNode, Suspense, useEffect, useMemo, useRef, useState } from 'react';
import { TipContext } from '../../ui/tip.tsx';
import { Tip } from '../../ui/tooltip.tsx';
import { useLive } from '../live/use-live.ts';
import { useAvailablePages, useCurrentPath } from '../navigation/use-available-pages.ts';
import { type Crumb, FrameContext } from '../navigation/use-page.ts';
import type { PageDefinition } from '../page-definition.ts';
import { useScope } from '../scope/use-scope.ts';
import { shortcuts, useShortcut } from '../shortcuts/use-shortcut.ts';
import styles from './frame.module.css';
import { FreezeStrip } from './freeze-strip.tsx';
import { t } from './messages.ts';
import { Sidebar, TabBar } from './sidebar.tsx';
import { TopBar } from './top-bar.tsx';
import { UserMenu } from './user-menu.tsx';

const Palette = lazy(async () => ({ default: (await import('../palette/palette.tsx')).Palette }));
const ShortcutsDialog = lazy(async () => ({
  default: (await import('../shortcuts/shortcuts-dialog.tsx')).ShortcutsDialog,
}));

/** The frame around every page of a project. */
export function Shell({ children }: { readonly children: ReactNode }) {
  const [place, setPlace] = useState<{ readonly title: string; readonly crumbs: readonly Crumb[] }>();
  const [open, setOpen] = useState<'palette' | 'shortcuts'>();
  const frame = useMemo(
    () => ({ setTitle: (title: string, crumbs: readonly Crumb[]) => setPlace({ title, crumbs }) }),
    [],
  );
  const pages = useAvailablePages();
  const currentPath = useCurrentPath();
  const live = useLive();
  useEffect(() => {
    live.start();
    return () => live.stop();
  }, [live]);
  useEffect(() => {
    const onKey = (event: KeyboardEvent): void => void shortcuts.handle(event);
    document.addEventListener('keydown', onKey);
    return () => document.removeEventListener('keydown', onKey);
  }, []);
  useShortcut({ keys: 'mod+k', label: t.findOrDo, run: () => setOpen('palette') });
  useShortcut({ keys: '?', label: t.shortcuts, run: () => setOpen('shortcuts') });
  const find = (): void => setOpen('palette');
  return (
    <FrameContext.Provider value={frame}>
      <TipContext.Provider value={Tip}>
        <a className={styles.skip} href="#main">
          {t.skip}
        </a>
        {pages.map((page) => (
          <PageKeys key={page.id} page={page} />
        ))}
        <div className={styles.frame}>
          <Sidebar pages={pages} currentPath={currentPath} onFind={find} foot={<UserMenu />} />
          <div className={styles.content}>
            <TopBar title={place?.title ?? ''} crumbs={place?.crumbs ?? []} onFind={find} />
            <FreezeStrip />
            <Main path={currentPath}>{children}</Main>
            <TabBar pages={pages} currentPath={currentPath} onFind={find} />
          </div>
        </div>
        {open === 'palette' && (
          <Suspense>
            <Palette pages={pages} onClose={() => setOpen(undefined)} />
          </Suspense>
        )}
        {open === 'shortcuts' && (
          <Suspense>
            <ShortcutsDialog onClose={() => setOpen(undefined)} />
          </Suspense>
        )}
      </TipContext.Provider>
    </FrameContext.Provider>
  );
}

/** After a navigation, the heading of the new page takes the focus, so that screen readers read it. */
function Main({ path, children }: { readonly path: string; readonly children: ReactNode }) {
  const main = useRef<HTMLElement>(null);
  const before = useRef(path);
  useEffect(() => {
    if (before.current === path) return;
    before.current = path;
    const focus = (): boolean => {
      const heading = main.current?.querySelector('h1');
      heading?.focus({ preventScroll: true });
      return heading !== null && heading !== undefined;
    };
    if (focus()) return;
    // The page is still loading: its heading comes later.
    const observer = new MutationObserver(() => focus() && observer.disconnect());
    observer.observe(main.current!, { childList: true, subtree: true });
    return () => observer.disconnect();
  }, [path]);
  return (
    <main className={styles.main} id="main" ref={main} tabIndex={-1}>
      {children}
    </main>
  );
}

function PageKeys({ page }: { readonly page: PageDefinition }) {
  const { hrefTo } = useScope();
  const navigate = useNavigate();
  useShortcut(
    page.keys === undefined
      ? undefined
      : { keys: page.keys, label: t.goTo(page.label), run: () => void navigate({ href: hrefTo(page.path) }) },
  );
  return null;
}
