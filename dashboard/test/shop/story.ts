import { tellFlags } from './tell-flags.ts';
import { tellSegments } from './tell-segments.ts';
import { createWorld, DAY_MS, HOUR_MS, MINUTE_MS } from './world.ts';

/** Something that happened in the shop, so many milliseconds before now. */
export interface Event {
  readonly agoMs: number;
  readonly run: () => Promise<void>;
}

const BEGIN_MS = 735 * DAY_MS;

/** Fills an empty database with Northwind Market: two years of changes, written through the API with a moved clock. */
export async function tellStory(url: string, webhookUrl: string): Promise<void> {
  const world = await createWorld(url, { beginMs: BEGIN_MS, webhookUrl });
  try {
    const events = [
      ...tellSegments(world),
      ...tellFlags(world),
      {
        agoMs: 3 * DAY_MS,
        run: async () => {
          const api = await world.as('admin');
          await api.freezeWindows.create({
            name: 'Peak week',
            reason: 'The busiest week of the year',
            starts_at: new Date(world.end - 29 * HOUR_MS).toISOString(),
            ends_at: new Date(world.end + 6 * DAY_MS + 18 * HOUR_MS + 47 * MINUTE_MS).toISOString(),
            scope: { environment_ids: [world.environments.production] },
            allow: ['disable', 'rollout_decrease'],
          });
        },
      },
    ];
    for (const { agoMs, run } of events.toSorted((a, b) => b.agoMs - a.agoMs)) {
      world.moveTo(agoMs);
      await run();
    }
    world.moveTo(0);
  } finally {
    await world.close();
  }
}
