import { type ComponentType, type LazyExoticComponent, lazy, type ReactNode, Suspense } from 'react';
import type { Badge, PageDefinition } from '../page-definition.ts';
import { useScope } from '../scope/use-scope.ts';

interface BadgeProps {
  readonly children: (badge: Badge) => ReactNode;
}

const loaded = new Map<string, LazyExoticComponent<ComponentType<BadgeProps>>>();

/** The badge of a page in a navigation, once its code is loaded and it has something to say. */
export function PageBadge({ page, children }: BadgeProps & { readonly page: PageDefinition }) {
  const { loadBadge, id } = page;
  if (loadBadge === undefined) return null;
  if (!loaded.has(id))
    loaded.set(
      id,
      lazy(() => load(loadBadge)),
    );
  const Loaded = loaded.get(id)!;
  return (
    <Suspense>
      <Loaded>{children}</Loaded>
    </Suspense>
  );
}

async function load(loadBadge: NonNullable<PageDefinition['loadBadge']>) {
  const useBadge = await loadBadge();
  return {
    default: function LoadedBadge({ children }: BadgeProps) {
      const badge = useBadge(useScope());
      return badge && children(badge);
    },
  };
}
