import type { Event } from './story.ts';
import { DAY_MS, HOUR_MS, type World } from './world.ts';

/** One webhook that arrives, and one that has failed since its address changed three hours ago. */
export function tellWebhooks(world: World, url: string): readonly Event[] {
  let warehouse = '';
  return [
    {
      agoMs: 28 * DAY_MS,
      run: async () => {
        const api = await world.as('secondAdmin');
        const events = ['flag.*', 'segment.*'];
        const created = { url: `${url}/stock`, events, description: 'Warehouse sync' };
        warehouse = (await api.webhooks.create(created)).id;
        await api.webhooks.create({
          url: `${url}/releases`,
          events: ['flag.toggled', 'flag.updated', 'freeze_window.*', 'break_glass.*'],
          environment_ids: [world.environments.production],
          description: 'Channel #releases',
        });
      },
    },
    {
      agoMs: 3 * HOUR_MS,
      run: async () => {
        const api = await world.as('secondAdmin');
        await api.webhooks.update(warehouse, { url: `${url}/warehouse`, comment: 'The warehouse moved' });
      },
    },
  ];
}
