import {
  type AnyRoute,
  createRootRoute,
  createRoute,
  createRouter,
  lazyRouteComponent,
  Outlet,
  useRouter,
} from '@tanstack/react-router';
import { RouterProvider as AriaRouter, I18nProvider } from 'react-aria-components';
import { locale } from '../i18n/language.ts';
import { Toasts } from '../ui/toast.tsx';
import { accountPages, projectPages } from './all-pages.ts';
import { ErrorPage, NotFoundPage } from './errors/lazy-error-page.tsx';
import type { PageDefinition } from './page-definition.ts';

const SETTINGS = 'settings';

/** All addresses: of a project's pages, of settings that belong to no project, and of the account pages. */
export function createDashboardRouter() {
  const root = createRootRoute({
    component: Root,
    errorComponent: ErrorPage,
    notFoundComponent: NotFoundPage,
  });
  const home = createRoute({
    getParentRoute: () => root,
    path: '/',
    component: lazyRouteComponent(() => import('./project-frame.tsx'), 'HomePage'),
  });
  const signIn = createRoute({
    getParentRoute: () => root,
    path: '/signin',
    component: lazyRouteComponent(() => import('./account/sign-in-page.tsx'), 'SignInPage'),
  });
  const frame = createRoute({
    getParentRoute: () => root,
    id: 'frame',
    component: lazyRouteComponent(() => import('./project-frame.tsx'), 'ProjectFrame'),
  });
  const project = createRoute({ getParentRoute: () => frame, path: '/o/$organization/p/$project' });
  const first = projectPages.find(({ path }) => path === '');
  const index = createRoute({ getParentRoute: () => project, path: '/', component: lazyComponent(first) });
  const pages = projectPages
    .filter(({ path }) => path !== '' && path !== SETTINGS && !path.includes(`${SETTINGS}/`))
    .map((page) =>
      createRoute({ getParentRoute: () => project, path: page.path, component: lazyComponent(page) }),
    );
  const accounts = accountPages.map((page) =>
    createRoute({ getParentRoute: () => root, path: page.path, component: lazyComponent(page) }),
  );
  return createRouter({
    routeTree: root.addChildren([
      home,
      signIn,
      ...accounts,
      frame.addChildren([
        project.addChildren([index, ...pages, settingsRoute(project, SETTINGS)]),
        settingsRoute(frame, `/${SETTINGS}`),
      ]),
    ]),
    defaultErrorComponent: ErrorPage,
    defaultNotFoundComponent: NotFoundPage,
    scrollRestoration: true,
  });
}

/** The settings at one of their two addresses: their navigation, with the pages below this path inside of it. */
function settingsRoute(parent: AnyRoute, path: string) {
  const frame = projectPages.find((page) => page.path === SETTINGS);
  const route = createRoute({ getParentRoute: () => parent, path, component: lazyComponent(frame) });
  const pages = projectPages
    .filter((page) => page.path.startsWith(`${path}/`))
    .map((page) =>
      createRoute({
        getParentRoute: () => route,
        path: page.path.slice(path.length + 1),
        component: lazyComponent(page),
      }),
    );
  return route.addChildren(pages);
}

function lazyComponent(page: PageDefinition | undefined) {
  if (page === undefined) return NotFoundPage;
  const { capability, load } = page;
  return lazyRouteComponent(async () => {
    if (capability === undefined) return { default: await load() };
    const [Page, gate] = await Promise.all([load(), import('./navigation/capability-gate.tsx')]);
    return { default: gate.behindCapability(Page, capability) };
  });
}

/** Links of all parts go through the router. */
function Root() {
  const router = useRouter();
  return (
    <I18nProvider locale={locale}>
      <AriaRouter navigate={(href) => void router.navigate({ href })}>
        <Outlet />
        <Toasts />
      </AriaRouter>
    </I18nProvider>
  );
}
