import { type ComponentProps, lazy, Suspense } from 'react';

const load = () => import('./error-page.tsx');
const LoadedErrorPage = lazy(async () => ({ default: (await load()).ErrorPage }));
const LoadedNotFoundPage = lazy(async () => ({ default: (await load()).NotFoundPage }));

/** Loads both pages in advance: when a file of the dashboard is missing, their own may be missing, too. */
export const loadErrorPages = (): void => void load().catch(() => undefined);

/** In the place of a page that failed. */
export function ErrorPage(props: ComponentProps<typeof LoadedErrorPage>) {
  return (
    <Suspense>
      <LoadedErrorPage {...props} />
    </Suspense>
  );
}

/** In the place of an address that names nothing. */
export function NotFoundPage() {
  return (
    <Suspense>
      <LoadedNotFoundPage />
    </Suspense>
  );
}
