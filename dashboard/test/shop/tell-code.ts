import type { Event } from './story.ts';
import { HOUR_MS, type World } from './world.ts';

const places: Readonly<Record<string, readonly string[]>> = {
  'checkout-layout': ['checkout/layout.ts:41', 'checkout/layout.test.ts:12', 'mail/order.tsx:88'],
  'guest-checkout': [
    'checkout/guest.ts:9',
    'checkout/guest.ts:77',
    'account/merge.ts:30',
    'e2e/guest.spec.ts:15',
  ],
  'cart-drawer': ['cart/drawer.tsx:22', 'cart/page.tsx:140'],
  'payments-klarna': ['payments/methods.ts:63'],
  'search-typos': ['search/query.ts:18', 'search/query.ts:204'],
  'read-only-shop': ['middleware/write.ts:5'],
};

/** The code of two hours ago, as the CI sends it. */
export function tellCode(world: World): readonly Event[] {
  return [
    {
      agoMs: 2 * HOUR_MS,
      run: async () => {
        const api = await world.as('admin');
        await api.codeReferences.put(world.projectId, {
          repository: 'northwind/storefront',
          branch: 'main',
          revision: '4f0c9a1b7d2e5a8c3b6f1d0e9a7c5b3d1f2e4a6c',
          url_template: 'https://code.northwind.example/storefront/blob/{revision}/{path}#L{line}',
          references: Object.entries(places).flatMap(([flag_key, list]) =>
            list.map((place) => {
              const [path, line] = place.split(':') as [string, string];
              return { flag_key, path, line: Number(line) };
            }),
          ),
        });
      },
    },
  ];
}
