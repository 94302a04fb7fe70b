import type { PageDefinition } from './page-definition.ts';

// A feature adds its pages by a file `src/<feature>/pages.ts` that exports `pages`. No other file names it.
const found = import.meta.glob<{ readonly pages: readonly PageDefinition[] }>('../*/pages.ts', {
  eager: true,
});

/** Every page of the dashboard, in the order of the navigation. */
export const allPages: readonly PageDefinition[] = Object.values(found)
  .flatMap(({ pages }) => pages)
  .toSorted((a, b) => a.order - b.order);

export const projectPages: readonly PageDefinition[] = allPages.filter(({ place }) => place !== 'account');
export const accountPages: readonly PageDefinition[] = allPages.filter(({ place }) => place === 'account');

/** The pages that this installation can do. Unknown capabilities count as available. */
export function availablePages(
  features: Readonly<Record<string, { readonly available: boolean }>> | undefined,
): readonly PageDefinition[] {
  return projectPages.filter(
    ({ capability }) => capability === undefined || features?.[capability]?.available !== false,
  );
}
