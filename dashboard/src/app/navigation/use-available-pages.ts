import { useQuery } from '@tanstack/react-query';
import { useLocation } from '@tanstack/react-router';
import { unwrap } from '../../api/client.ts';
import { availablePages } from '../all-pages.ts';
import type { PageDefinition } from '../page-definition.ts';
import { useApi } from '../services.ts';

/** The pages that this installation can do, in the order of the navigation. */
export function useAvailablePages(): readonly PageDefinition[] {
  const features = useFeatures();
  return availablePages(features);
}

/** What this installation can do, by the name of the capability. Undefined until it is known; empty if it cannot be. */
export function useFeatures() {
  const api = useApi();
  const { data, isError } = useQuery({
    queryKey: ['capabilities'],
    staleTime: Number.POSITIVE_INFINITY,
    queryFn: async () => (await unwrap(api.GET('/api/v1/instance/capabilities'))).data,
  });
  return isError ? {} : data?.features;
}

/** The address as pages have it: below the project, `flags/checkout`, or `/settings/profile` without one. */
export function useCurrentPath(): string {
  const { pathname } = useLocation();
  return pathname.startsWith('/o/') ? pathname.split('/').slice(5).join('/') : pathname;
}
