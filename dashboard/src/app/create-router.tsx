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
import { ErrorPage, NotFoundPage } from './errors/error-page.tsx';
import type { PageDefinition } from './page-definition.ts';

const SETTINGS = 'settings';

/** All addresses: `/o/{organization}/p/{project}/…` for the registered pages, and the account pages. */
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
  const project = createRoute({
    getParentRoute: () => root,
    path: '/o/$organization/p/$project',
    component: lazyRouteComponent(() => import('./project-frame.tsx'), 'ProjectFrame'),
  });
  const first = projectPages.find(({ section }) => section === 'main' || section === 'operate');
  const index = createRoute({ getParentRoute: () => project, path: '/', component: lazyComponent(first) });
  const pages = projectPages
    .filter(({ section }) => section !== 'settings')
    .map((page) => {
      const route = createRoute({
        getParentRoute: () => project,
        path: page.path,
        component: lazyComponent(page),
      });
      return page.path === SETTINGS ? route.addChildren(settingsRoutes(() => route)) : route;
    });
  const accounts = accountPages.map((page) =>
    createRoute({ getParentRoute: () => root, path: page.path, component: lazyComponent(page) }),
  );
  return createRouter({
    routeTree: root.addChildren([home, signIn, ...accounts, project.addChildren([index, ...pages])]),
    defaultErrorComponent: ErrorPage,
    defaultNotFoundComponent: NotFoundPage,
    scrollRestoration: true,
  });
}

/** The pages of the settings, inside of the page `settings`, which renders its navigation around them. */
function settingsRoutes(getParentRoute: () => AnyRoute) {
  return projectPages
    .filter(({ section }) => section === 'settings')
    .map((page) =>
      createRoute({
        getParentRoute,
        path: page.path.slice(SETTINGS.length + 1),
        component: lazyComponent(page),
      }),
    );
}

function lazyComponent(page: PageDefinition | undefined) {
  if (page === undefined) return NotFoundPage;
  return lazyRouteComponent(async () => ({ default: await page.load() }));
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
