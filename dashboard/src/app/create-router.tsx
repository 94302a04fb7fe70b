import {
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
  const first = projectPages.find(({ section }) => section !== 'none');
  const index = createRoute({ getParentRoute: () => project, path: '/', component: lazyComponent(first) });
  const pages = projectPages.map((page) =>
    createRoute({ getParentRoute: () => project, path: page.path, component: lazyComponent(page) }),
  );
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
