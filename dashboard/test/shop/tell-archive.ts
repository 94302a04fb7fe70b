import { booleanFlag } from '../../../reference-server/test/server.ts';
import type { Event } from './story.ts';
import { DAY_MS, type World } from './world.ts';

const archived = [
  ['checkout-v1', 'Checkout v1', 41],
  ['search-ranking-v2', 'Search ranking v2', 57],
  ['summer-sale', 'Summer sale', 80],
  ['cart-badge', 'Number on the cart', 104],
  ['pdp-zoom', 'Zoom into pictures', 131],
  ['mail-order-v1', 'Old order mail', 160],
  ['app-home-v3', 'App: home of 2025', 190],
] as const;

/** Seven flags that were removed. */
export function tellArchive(world: World): readonly Event[] {
  return archived.map(([key, name, agoDays]) => ({
    agoMs: agoDays * DAY_MS,
    run: async () => {
      const api = (await world.as('editor')).in(world.environments.production);
      const { id } = await api.flags.create(booleanFlag(key, { name, owner_id: world.users.editor }));
      await api.flags.archive(id, { comment: 'Removed from the code' });
    },
  }));
}
